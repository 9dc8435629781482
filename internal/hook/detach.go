package hook

import (
	"os"
	"os/exec"
)

// Detach starts this program once more with other arguments, as a process that
// goes on when the host and all that it started end. It doesn't wait for it; the
// process has none of our streams.
func Detach(dir string, env []string, args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Cmd{
		Path: exe, Args: append([]string{"memory"}, args...), Env: env,
		Dir: dir, SysProcAttr: detached(),
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
