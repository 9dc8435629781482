package summary_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/summary"
)

func TestSentences(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{}},
		{"no words", " \n --- \n ... \n", []string{}},
		{"plain", "It broke. We fixed it! Why? Nobody knows…", []string{"It broke.", "We fixed it!", "Why?", "Nobody knows…"}},
		{"no end", "It broke", []string{"It broke"}},
		{"abbreviations", "Dr. Lee saw it, e.g. on Monday. Mr. Stone vs. Ann. See Fig. 2 and No. 5 of it.",
			[]string{"Dr. Lee saw it, e.g. on Monday.", "Mr. Stone vs. Ann.", "See Fig. 2 and No. 5 of it."}},
		{"titles and units", "Ms. Lee waited 120 ms. Then it failed for St. Gallen.", []string{"Ms. Lee waited 120 ms.", "Then it failed for St. Gallen."}},
		{"month", "Released on Jan. 5. It failed!", []string{"Released on Jan. 5.", "It failed!"}},
		{"etc", "Pods, nodes etc. The rest is fine. Acme Inc. Berlin owns it.",
			[]string{"Pods, nodes etc.", "The rest is fine.", "Acme Inc. Berlin owns it."}},
		{"initials", "J. K. Smith left. In the U.S. market it is 5 p.m. We wait.",
			[]string{"J. K. Smith left.", "In the U.S. market it is 5 p.m.", "We wait."}},
		{"versions and decimals", "Go 1.26.1 is 3.5 times faster. Use v2.0. Then run main.go now.",
			[]string{"Go 1.26.1 is 3.5 times faster.", "Use v2.0.", "Then run main.go now."}},
		{"url", "See https://example.org/a.b?c=d. It says more.", []string{"See https://example.org/a.b?c=d.", "It says more."}},
		{"code span", "Run `make. All` first. Then `x`. Done.", []string{"Run `make. All` first.", "Then `x`.", "Done."}},
		{"stray backtick", "A ` stray. It goes on.", []string{"A ` stray.", "It goes on."}},
		{"brackets", "It failed (see the log. It is long.) twice. Then not.",
			[]string{"It failed (see the log. It is long.) twice.", "Then not."}},
		{"open bracket", "It failed (see the log. It is long.", []string{"It failed (see the log.", "It is long."}},
		{"quotes", `He said "stop." Then he left.`, []string{`He said "stop."`, "Then he left."}},
		{"lower case after ellipsis", "Well... maybe. Really? yes.", []string{"Well... maybe.", "Really? yes."}},
		{"informal", "deployed it. it broke. rolled it back. now it works.",
			[]string{"deployed it.", "it broke.", "rolled it back.", "now it works."}},
		{"spaced marks", "Yeah . I think so . OK ?", []string{"Yeah .", "I think so .", "OK ?"}},
		{"wrapped", "The nightly import of the exchange rates failed because the\nprovider was down. We waited for the\nprovider.",
			[]string{"The nightly import of the exchange rates failed because the\nprovider was down.", "We waited for the\nprovider."}},
		{"wrapped after a comma", "After the restart,\nthe queue was empty,\nbut nobody knew.", []string{"After the restart,\nthe queue was empty,\nbut nobody knew."}},
		{"one statement per line", "Fixed the login bug\nDeployed to prod\nchecked the logs",
			[]string{"Fixed the login bug", "Deployed to prod", "checked the logs"}},
		{"paragraphs", "One thing\n\nAnother thing", []string{"One thing", "Another thing"}},
		{"markdown", "# Title #\n\n- first item. It has two.\n- [x] done\n  1) nested\n> quoted\n> more\n\n| a | b |\n|---|---|\n",
			[]string{"Title", "first item.", "It has two.", "done", "nested", "quoted", "more", "| a | b |"}},
		{"underlined heading", "Lessons\n=======\nIt was late.", []string{"Lessons", "It was late."}},
		{"fenced code", "Run:\n```sh\nmake all. Then\n\nmake test\n```\nDone.", []string{"Run:", "make all. Then", "make test", "Done."}},
		{"code span at the start of a line", "```x``` fails. We know.\nIt is fixed.", []string{"```x``` fails.", "We know.", "It is fixed."}},
		{"indented code", "Like this::\n\n    x = f(1)\n    return x\n\nDone.", []string{"Like this::", "x = f(1)", "return x", "Done."}},
		{"dialogue", "Ann: I saw it. It was bad.\nBob: When?\nAnn: Today.",
			[]string{"Ann: I saw it.", "It was bad.", "Bob: When?", "Ann: Today."}},
		{"chat", "[10:02] ann: it broke\n[10:03] bob: again?\n[10:04] ann: yes",
			[]string{"[10:02] ann: it broke", "[10:03] bob: again?", "[10:04] ann: yes"}},
		{"log", "2026-03-11T10:00:00Z ERROR db: no route. Retrying\n2026-03-11T10:00:01Z INFO up",
			[]string{"2026-03-11T10:00:00Z ERROR db: no route. Retrying", "2026-03-11T10:00:01Z INFO up"}},
		{"stack trace", "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nValueError: bad row 17",
			[]string{"Traceback (most recent call last):", `File "a.py", line 3, in f`, "g()", "ValueError: bad row 17"}},
		{"java trace", "It failed.\njava.io.IOException: Disk full\n\tat a.B.c(B.java:10)\n\tat a.D.e(D.java:2)",
			[]string{"It failed.", "java.io.IOException: Disk full", "at a.B.c(B.java:10)", "at a.D.e(D.java:2)"}},
		{"chinese", "服务中断了。我们修复了它！为什么？因为磁盘满了", []string{"服务中断了。", "我们修复了它！", "为什么？", "因为磁盘满了"}},
		{"japanese quotes", "彼は「終わった。」と言った。次へ。", []string{"彼は「終わった。」", "と言った。", "次へ。"}},
		{"chinese dialogue", "张三：坏了。修吧。\n李四：好。\n张三：谢谢。", []string{"张三：坏了。", "修吧。", "李四：好。", "张三：谢谢。"}},
		{"thai", "ทีมตัดสินใจตรวจสอบคอลัมน์สกุลเงิน แดชบอร์ดเปิดอยู่บนหน้าจอ rates.csv ทั้งวัน", []string{"ทีมตัดสินใจตรวจสอบคอลัมน์สกุลเงิน", "แดชบอร์ดเปิดอยู่บนหน้าจอ rates.csv ทั้งวัน"}},
		{"hindi", "यह टूट गया। हमने ठीक किया।", []string{"यह टूट गया।", "हमने ठीक किया।"}},
		{"windows lines", "One.\r\nTwo.\r\n", []string{"One.", "Two."}},
		{"invalid utf-8", "it\xff broke. \xfeThen not.", []string{"it\xff broke.", "\xfeThen not."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summary.Sentences(tt.text)); diff != "" {
				t.Errorf("sentences of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestKeyTerms(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"stems by sentences that use them", "The cache failed, cache, cache. Failing caches were restarted. A restart helped the failure log. Restarts.",
			[]string{"restart", "cach", "fail", "help", "failur", "log"}},
		{"identifiers and numbers whole", "ERR_TIMEOUT in v1.2.3 and 503. ERR_TIMEOUT again.", []string{"err_timeout", "v1.2.3", "503"}},
		{"no function words or fillers", "Um, well, it was the one that we, uh, had. OK.", nil},
		{"no speakers", "Ann: disk full\nBob: disk empty\nAnn: disk gone", []string{"disk", "full", "empti"}},
		{"headings count more", "# Rollback\n\nThe rollback of the queue. The queue again.", []string{"rollback", "queue"}},
		{"no log prefixes", "2026-03-11T10:00:00Z ERROR disk full\n2026-03-11T10:00:01Z ERROR disk gone\n", []string{"disk", "full"}},
		{"pairs", "接続数。接続。", []string{"接続", "続数"}},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summary.KeyTerms(tt.text)); diff != "" {
				t.Errorf("key terms of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
	var b strings.Builder
	for i := range 60 {
		word := string([]rune{'k', rune('a' + i%26), rune('a' + i/26), 'x'})
		b.WriteString(word + " one. " + word + " two. ")
	}
	if n := len(summary.KeyTerms(b.String())); n != 40 {
		t.Errorf("%d key terms of sixty that recur, want 40", n)
	}
}
