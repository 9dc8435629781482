package text

import (
	"slices"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		text string
		want Language
	}{
		{"The release manager is responsible for the rollback of this version.", English},
		{"Deploys to staging failed because of a timeout", English},
		{"the port is", Unknown}, // too short
		{"", Unknown},
		{"Was war am Montag in der Sitzung so los", Unknown}, // words of English that German has too
		{"El servidor de producción es lento por la noche", Unknown},
		{"fn main() { let x = compute(5, y); println(x) }", Unknown},
		{"サーバーの再起動が必要です", "ja"},
		{"服务器需要重新启动", "zh"},
		{"서버를 다시 시작해야 합니다", "ko"},
		{"Ο διακομιστής πρέπει να επανεκκινηθεί", "el"},
		{"Сервер нужно перезапустить сегодня ночью", Unknown}, // several languages have the script
	} {
		if got := LanguageOf(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEnglish(t *testing.T) {
	if !slices.Contains(Languages(), English) || English.table().script != Latin {
		t.Fatal("English has no data file")
	}
	for word, want := range map[string]string{"deployments": "deploy", "running": "run", "is": "is", "équipes": "équipes", "": ""} {
		if got := English.Stem(word); got != want {
			t.Errorf("stem of %q: %q, want %q", word, got, want)
		}
	}
	if !English.IsStopWord("the") || English.IsStopWord("server") || English.BaseForm("bought") != "buy" || English.BaseForm("server") != "server" {
		t.Error("stop words or base forms are wrong")
	}
	if !English.List("abbreviation")["e.g"] || English.List("none") != nil {
		t.Error("lists are wrong")
	}
}

// A language without a data file has no words, and nothing panics.
func TestUnknownLanguage(t *testing.T) {
	for _, l := range []Language{Unknown, "xx", "../en"} {
		if l.Stem("running") != "running" || l.IsStopWord("the") || l.BaseForm("went") != "went" || l.List("stop") != nil {
			t.Errorf("%q has words", l)
		}
	}
}

// Each data file has what the detection of languages needs, and its words are in lower case.
func TestDataFiles(t *testing.T) {
	for _, l := range Languages() {
		stop := l.List("stop")
		if len(stop) < 20 || l.table().script == NoScript {
			t.Errorf("%s: %d function words, script %q", l, len(stop), l.table().script)
		}
		for w := range l.List("shared") {
			if !stop[w] {
				t.Errorf("%s: the shared word %q is no stop word", l, w)
			}
		}
		for w := range stop {
			if Fold(w) != w {
				t.Errorf("%s: %q is not in normal form", l, w)
			}
		}
	}
}

func TestScriptOf(t *testing.T) {
	for s, want := range map[string]Script{"deploy a 東京": Latin, "東京 a": Han, "東京へ行く": Hiragana, "Сервер": Cyrillic, "123 -": NoScript, "": NoScript} {
		if got := ScriptOf(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if RuneScript('é') != Latin || RuneScript('7') != NoScript || RuneScript('ж') != Cyrillic {
		t.Error("RuneScript is wrong")
	}
}
