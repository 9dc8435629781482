package host

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf16"
)

// systemd writes a user unit. It is stopped by SIGTERM, and given time: a run is
// never cut off in the middle. When it keeps failing it is given up.
func systemd(u Unit) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n[Unit]\n", unitMark)
	// The bracket keeps a backslash from the end of the line, where it would join the next.
	fmt.Fprintf(&b, "Description=memory (%s)\n", specifiers.Replace(u.Purpose))
	b.WriteString("StartLimitIntervalSec=600\nStartLimitBurst=5\n\n[Service]\nType=exec\n")
	program, args := u.Program, u.Args
	if strings.ContainsAny(program, `\"'`) { // systemd starts no program with these in its path, however they are written
		program, args = "/bin/sh", append([]string{"-c", `exec "$0" "$@"`, program}, args...)
	}
	fmt.Fprintf(&b, `ExecStart="%s"`, specifiers.Replace(program))
	for _, arg := range args {
		fmt.Fprintf(&b, ` "%s"`, variables.Replace(escaped.Replace(specifiers.Replace(arg))))
	}
	b.WriteString(`
Restart=on-failure
RestartSec=20
RestartPreventExitStatus=2
KillSignal=SIGTERM
TimeoutStopSec=90
Nice=10
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`)
	return []byte(b.String())
}

var (
	specifiers = strings.NewReplacer("%", "%%")
	escaped    = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	variables  = strings.NewReplacer("$", "$$")
)

// launchd writes an agent's property list.
func launchd(u Unit) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- %s -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
`, unitMark, xmlText(launchdLabel(u.Name)))
	for _, arg := range append([]string{u.Program}, u.Args...) {
		fmt.Fprintf(&b, "\t\t<string>%s</string>\n", xmlText(arg))
	}
	b.WriteString(`	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>20</integer>
	<key>ExitTimeOut</key>
	<integer>90</integer>
	<key>ProcessType</key>
	<string>Background</string>
`)
	if u.Log != "" {
		fmt.Fprintf(&b, "\t<key>StandardErrorPath</key>\n\t<string>%s</string>\n", xmlText(u.Log))
	}
	b.WriteString("</dict>\n</plist>\n")
	return b.Bytes(), nil
}

// windows writes a task of the scheduler, as UTF-16. Without the person's account
// the task would be for everybody's log-on, which only an administrator may make.
func windows(u Unit) ([]byte, error) {
	arguments := make([]string, len(u.Args))
	for i, arg := range u.Args {
		arguments[i] = windowsArgument(arg)
	}
	line := strings.Join(arguments, " ")
	for _, s := range []string{u.Program, line} {
		if strings.Count(s, "%") > 1 || strings.Contains(s, "$(") {
			return nil, fmt.Errorf("%s can't be written into a task: its scheduler would take %%…%% and $(…) for variables", s)
		}
	}
	var user string
	if u.User != "" {
		user = "\n      <UserId>" + xmlText(u.User) + "</UserId>"
	}
	doc := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-16"?>
<!-- %s -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>memory (%s)</Description>
    <URI>%s</URI>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>%s
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">%s
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>8</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%s</Command>
      <Arguments>%s</Arguments>
    </Exec>
  </Actions>
</Task>
`, unitMark, xmlText(u.Purpose), xmlText(taskName(u.Name)), user, user, xmlText(u.Program), xmlText(line))
	return append([]byte{0xff, 0xfe}, utf16le(strings.ReplaceAll(doc, "\n", "\r\n"))...), nil
}

// argument quotes as CommandLineToArgvW reads: backslashes stand for themselves but
// before a quote, where they are doubled.
func windowsArgument(arg string) string {
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(arg[i])
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	b.WriteByte('"')
	return b.String()
}

// text escapes the text of an XML element.
func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}

func utf16le(s string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}
