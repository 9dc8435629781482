package host

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// addServer adds a server unless it is there.
func addServer(doc []byte, s Server) ([]byte, error) {
	servers, ok := jsonedit.Get(doc, s.Key)
	if ok && !servers.IsObject() {
		return nil, fmt.Errorf("%s is no object", s.Key)
	}
	if entry, ok := jsonedit.Get(doc, s.Key, s.Name); ok {
		if !isOurServer(entry) {
			return nil, fmt.Errorf("%s.%s is another server", s.Key, s.Name)
		}
		return doc, nil
	}
	if !ok {
		return jsonedit.Apply(doc, jsonedit.Set([]byte("{"+string(jsonedit.Quote(s.Name))+":"+s.Entry+"}"), s.Key))
	}
	return jsonedit.Apply(doc, jsonedit.Set([]byte(s.Entry), s.Key, s.Name))
}

// removeServer removes a server that is ours, and the object that it leaves empty.
func removeServer(doc []byte, s Server) ([]byte, error) {
	entry, ok := jsonedit.Get(doc, s.Key, s.Name)
	if !ok || !isOurServer(entry) {
		return doc, nil
	}
	if servers, _ := jsonedit.Get(doc, s.Key); len(servers.Map()) == 1 {
		return jsonedit.Apply(doc, jsonedit.Delete(s.Key))
	}
	return jsonedit.Apply(doc, jsonedit.Delete(s.Key, s.Name))
}

// isOurServer reports whether a server runs "memory mcp".
func isOurServer(entry gjson.Result) bool {
	args := entry.Get("args").Array()
	return entry.IsObject() && isProgram(entry.Get("command").Str) && len(args) > 0 && args[0].Str == "mcp"
}
