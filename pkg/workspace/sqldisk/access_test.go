package sqldisk_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

func TestTokens(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		create(t, db, "acme")
		create(t, db, "other")
		read := sqldisk.Grant{Scope: "team:*", Access: sqldisk.Read}
		if err := db.Grant(t.Context(), "acme", "ada", at, read, sqldisk.Grant{Scope: "agent:DEV-001", Access: sqldisk.Admin}); err != nil {
			t.Fatal(err)
		}
		if err := db.Grant(t.Context(), "nowhere", "ada", at, read); !errors.Is(err, sqldisk.ErrNoWorkspace) {
			t.Error(err)
		}
		for _, bad := range []sqldisk.Grant{{Scope: "", Access: "read"}, {Scope: "[", Access: "read"}, {Scope: "*", Access: "own"}} {
			if err := db.Grant(t.Context(), "acme", "ada", at, bad); err == nil {
				t.Errorf("%v was granted", bad)
			}
		}
		if _, err := db.NewToken(t.Context(), "acme", "eve", "", at, at.Add(time.Hour)); err == nil {
			t.Error("a token for nobody")
		}
		token, err := db.NewToken(t.Context(), "acme", "ada", "laptop", at, at.Add(time.Hour))
		if err != nil || len(token) < 30 {
			t.Fatalf("%q, %v", token, err)
		}
		ada, err := db.Authenticate(t.Context(), "acme", token, at)
		if err != nil || ada.Name != "ada" || len(ada.Grants) != 2 {
			t.Fatalf("%+v, %v", ada, err)
		}
		for _, c := range []struct {
			access sqldisk.Access
			scope  string
			may    bool
		}{
			{sqldisk.Read, "team:dev", true}, {sqldisk.Write, "team:dev", false}, {sqldisk.Read, "global", false},
			{sqldisk.Run, "agent:DEV-001", true}, {sqldisk.Read, "agent:DEV-002", false},
		} {
			scope, err := memory.ParseScope(c.scope)
			if err != nil || ada.May(c.access, scope) != c.may {
				t.Errorf("%s in %s: not %v, %v", c.access, c.scope, c.may, err)
			}
		}
		if ada.Everywhere(sqldisk.Read) || !ada.Somewhere(sqldisk.Write) {
			t.Errorf("%+v", ada)
		}
		for name, ask := range map[string]struct {
			ws, token string
			at        time.Time
		}{
			"expired": {"acme", token, at.Add(time.Hour)}, "another's": {"other", token, at}, "no workspace": {"nowhere", token, at},
			"wrong": {"acme", token + "x", at}, "none": {"acme", "", at},
		} {
			if _, err := db.Authenticate(t.Context(), ask.ws, ask.token, ask.at); !errors.Is(err, sqldisk.ErrToken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		all, err := db.Tokens(t.Context(), "acme")
		if err != nil || len(all) != 1 || all[0].Label != "laptop" || strings.Contains(token, all[0].ID) {
			t.Fatalf("%+v, %v", all, err)
		}
		if n, err := db.Revoke(t.Context(), "acme", "ada", read); err != nil || n != 1 {
			t.Errorf("%d, %v", n, err)
		}
		if found, err := db.RevokeToken(t.Context(), "acme", all[0].ID); err != nil || !found {
			t.Errorf("%v, %v", found, err)
		}
		if _, err := db.Authenticate(t.Context(), "acme", token, at); !errors.Is(err, sqldisk.ErrToken) {
			t.Error(err)
		}
		people, err := db.Principals(t.Context(), "acme")
		if err != nil || len(people) != 1 || len(people[0].Grants) != 1 {
			t.Errorf("%+v, %v", people, err)
		}
	})
}
