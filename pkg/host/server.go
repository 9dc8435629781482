package host

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// addServer adds a server unless it is there.
func (d *document) addServer(s Server) error {
	servers, ok := d.get(s.Key)
	if ok && !servers.IsObject() {
		return fmt.Errorf("%s is no object", s.Key)
	}
	if entry, ok := d.get(s.Key, s.Name); ok {
		if !isOurServer(entry) {
			return fmt.Errorf("%s.%s %w", s.Key, s.Name, ErrOtherServer)
		}
		return nil
	}
	if !ok {
		return d.apply(jsonedit.Set([]byte("{"+string(jsonedit.Quote(s.Name))+":"+s.Entry+"}"), s.Key))
	}
	return d.apply(jsonedit.Set([]byte(s.Entry), s.Key, s.Name))
}

// removeServer removes a server that is ours, and the object that it leaves empty.
func (d *document) removeServer(s Server) error {
	entry, ok := d.get(s.Key, s.Name)
	if !ok || !isOurServer(entry) {
		return nil
	}
	if servers, _ := d.get(s.Key); len(servers.Map()) == 1 {
		return d.apply(jsonedit.Delete(s.Key))
	}
	return d.apply(jsonedit.Delete(s.Key, s.Name))
}

// isOurServer reports whether a server runs "memory mcp".
func isOurServer(entry gjson.Result) bool {
	args := entry.Get("args").Array()
	return entry.IsObject() && isProgram(entry.Get("command").Str) && len(args) > 0 && args[0].Str == "mcp"
}
