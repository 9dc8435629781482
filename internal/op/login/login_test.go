package login

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/internal/op/discover"
)

// Logging in keeps the token and the hub of the repository around the directory; logging out forgets both.
func TestLoginAndLogout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"principal":"bob"}`))
	}))
	defer server.Close()
	root := t.TempDir()
	project := filepath.Join(root, "shop")
	o := discover.Options{Dir: filepath.Join(project, "cmd"), Getenv: func(name string) string { return map[string]string{"HOME": root}[name] }}
	for _, dir := range []string{o.Dir, filepath.Join(project, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hub, err := online.ParseHub(server.URL, "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"", "two words", "bad"} {
		if _, err := Login(t.Context(), o, hub, token, false); err == nil || fail.Hint(err) == "" {
			t.Errorf("%q: %v", token, err)
		}
		if status, err := Ask(t.Context(), o); status != nil || err != nil {
			t.Fatalf("%q was kept: %+v, %v", token, status, err)
		}
	}
	done, err := Login(t.Context(), o, hub, " good\n", false)
	if err != nil || done.Dir != project || done.Principal != "bob" || done.Folder != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if info, err := os.Stat(done.File); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the token: %v, %v", info, err)
	}
	if status, err := Ask(t.Context(), o); err != nil || !status.Answers || status.Principal != "bob" {
		t.Errorf("%+v, %v", status, err)
	}
	server.Close()
	if status, err := Ask(t.Context(), o); err != nil || status.Answers || status.Error == "" {
		t.Errorf("%+v, %v", status, err)
	}
	if ended, err := Logout(o, false); err != nil || !ended.Forgotten {
		t.Errorf("%+v, %v", ended, err)
	}
	if _, err := Logout(o, false); fail.Code(err) != fail.ExitNotFound {
		t.Error(err)
	}
}
