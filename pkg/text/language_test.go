package text

import (
	"slices"
	"strings"
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
		{"Hvað var á dagskrá fundarins í gær", Unknown}, // no language with a data file
		{"El servidor de producción es lento por la noche", "es"},
		{"fn main() { let x = compute(5, y); println(x) }", Unknown},
		{"サーバーの再起動が必要です", "ja"},
		{"服务器需要重新启动", "zh"},
		{"서버를 다시 시작해야 합니다", "ko"},
		{"Ο διακομιστής πρέπει να επανεκκινηθεί", "el"},
		{"Сервер нужно перезапустить сегодня ночью, потому что он не отвечает", "ru"},
		{"Sunucu bu gece yeniden başlatılacak çünkü yanıt vermiyor", "tr"},
		{"Palvelin on käynnistettävä uudelleen tänä yönä, koska se ei vastaa", "fi"},
		{"A szervert ma este újra kell indítani, mert nem válaszol", "hu"},
		{"Server harus dimulai ulang malam ini karena tidak merespons", "id"},
		{"सर्वर को आज रात फिर से शुरू करना होगा क्योंकि वह उत्तर नहीं दे रहा है", "hi"},
		{"يجب إعادة تشغيل الخادم هذه الليلة لأنه لا يستجيب", "ar"},
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

// The sections that detection reads come first in each data file.
func TestBeginning(t *testing.T) {
	for _, l := range Languages() {
		content, err := files.ReadFile("languages/" + string(l) + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		begins := parseTable(beginning(string(content)), nil)
		if len(begins.lists["stop"]) != len(l.List("stop")) || len(begins.lists["shared"]) != len(l.List("shared")) || begins.script != l.table().script {
			t.Errorf("%s: [stop] and [shared] are not the first sections", l)
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
		for section, words := range l.table().lists {
			for w := range words {
				if section != "opener" && Fold(w) != w {
					t.Errorf("%s: %q of %s is not in normal form", l, w, section)
				}
			}
		}
		for _, section := range strings.Fields("negation restriction modality condition quantity") {
			if len(l.List(section)) == 0 {
				t.Errorf("%s has no section %s", l, section)
			}
			for w := range l.List("empty") {
				if l.Has(section, w) {
					t.Errorf("%s: %q says nothing, and stands in %s", l, w, section)
				}
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

func TestSameStem(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"server", "servers", true}, {"deploys", "deployed", true}, {"bought", "buys", true}, {"running", "ran", true},
		{"employer", "employed", false}, {"careful", "careless", false}, {"lock", "unlock", false}, {"port", "ports", true}, {"cache", "queue", false},
	} {
		if got := English.SameStem(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
		if English.SameStem(c.a, c.b) != English.SameStem(c.b, c.a) {
			t.Errorf("%q and %q: the order counts", c.a, c.b)
		}
	}
	for _, c := range []struct {
		language Language
		a, b     string
		want     bool
	}{
		{"de", "dienst", "dienste", true}, {"de", "läuft", "laufen", true}, {"de", "mitarbeiter", "mitarbeiterin", false},
		{"de", "bekannt", "unbekannt", false}, {"fr", "serveurs", "serveur", true}, {"fr", "migrera", "migre", false}, {"fr", "port", "porte", false},
		{"es", "puerto", "puerta", false}, {"es", "servidor", "servidores", true}, {"es", "migra", "migrará", false}, {"it", "porto", "porta", false},
		{"it", "tavolo", "tavoli", true}, {"pt", "servidor", "servidores", true}, {"nl", "servers", "server", true}, {"sv", "noden", "noder", true},
		{"pl", "serwer", "serwera", true}, {"pl", "nowy", "nowa", true}, {"pl", "aktywny", "nieaktywny", false}, {"cs", "server", "serveru", true},
		{"cs", "platný", "neplatný", false}, {"da", "serveren", "servere", true}, {"nb", "serveren", "servere", true},
	} {
		if got := c.language.SameStem(c.a, c.b); got != c.want {
			t.Errorf("%s: %q and %q: %v", c.language, c.a, c.b, got)
		}
	}
	if Unknown.SameStem("servers", "server") || !Unknown.SameStem("server", "server") {
		t.Error("forms of words of no language")
	}
}

// No stemmer makes one stem of two words that begin with different letters of ASCII.
func TestStemsKeepTheFirstLetter(t *testing.T) {
	for _, l := range Languages() {
		words := map[string]bool{}
		for section, list := range l.table().lists {
			for w := range list {
				words[w], words[w+"s"], words[section] = true, true, true
			}
		}
		if len(words) == 0 {
			t.Errorf("%s: no words", l)
		}
		of := map[string]string{} // a word that begins with a letter, by its stem
		for w := range words {
			if w == "" || class[w[0]]&letterByte == 0 {
				continue
			}
			if other, ok := of[l.Stem(w)]; ok && !mayShareStem(w, other) {
				t.Errorf("%s: %q and %q have the stem %q", l, w, other, l.Stem(w))
			}
			of[l.Stem(w)] = w
		}
	}
}

func TestSections(t *testing.T) {
	for _, c := range [][2]string{{"enabled", "disabled"}, {"known", "unknown"}, {"before", "after"}, {"useful", "useless"}, {"import", "export"}} {
		if !English.Opposites(c[0], c[1]) || !English.Opposites(c[1], c[0]) {
			t.Errorf("%q and %q are no opposites", c[0], c[1])
		}
	}
	if English.Opposites("server", "clientele") || English.Opposites("enabled", "enables") {
		t.Error("opposites are wrong")
	}
	for section, words := range map[string]string{"negation": "not doesn't useless", "restriction": "only except", "modality": "must may", "condition": "if", "comparison": "before", "empty": "the"} {
		for _, w := range strings.Fields(words) {
			if !English.Has(section, w) {
				t.Errorf("%s has no %q", section, w)
			}
		}
	}
	if English.Has("negation", "unless ") || English.Has("empty", "not") || Unknown.Has("negation", "not") {
		t.Error("words are in wrong sections")
	}
	if English.Head("unit", "milliseconds") != "ms" || English.Head("month", "march") != "3" || English.Head("synonym", "colour") != English.Head("synonym", "color") || English.Head("unit", "server") != "" {
		t.Error("heads are wrong")
	}
	if !English.Known() || Unknown.Known() {
		t.Error("what is known is wrong")
	}
}

// Each language knows not, only, must, if, before, the fifth month and day, and twenty-five.
func TestBasics(t *testing.T) {
	for language, line := range map[Language]string{
		"de": "nicht nur muss wenn vorher mai freitag fünfundzwanzig offen/geschlossen gestiegen/gesunken",
		"fr": "pas uniquement doit si avant mai vendredi vingt-cinq ouverte/fermée augmenté/diminué",
		"es": "no solo debe si antes mayo viernes veinticinco abiertos/cerrados aumentó/disminuyó",
		"it": "non solo deve se prima maggio venerdì venticinque aperte/chiuse aumentato/diminuito",
		"pt": "não só deve se antes maio sexta-feira vinte abertos/fechados aumentou/diminuiu",
		"nl": "niet alleen moet als eerder mei vrijdag vijfentwintig open/gesloten gestegen/gedaald",
		"sv": "inte bara måste om innan maj fredag tjugofem öppet/stängt ökade/minskade",
		"pl": "nie tylko musi jeśli przed maja piątek dwadzieścia otwarte/zamknięte wzrosła/spadła",
		"da": "ikke kun skal hvis før maj fredag femogtyve åben/lukket steget/faldet",
		"nb": "ikke bare må hvis før mai fredag tjuefem åpen/stengt økte/falt",
		"uk": "не лише мусить якщо раніше травня п'ятниця двадцять відкрито/закрито зросла/знизилася",
		"bg": "не само трябва ако преди май петък двадесет отворен/затворен нарасна/намаля",
		"hr": "nije samo mora ako prije svibnja petak dvadeset otvoren/zatvoren porasla/pala",
		"sr": "није само мора ако пре маја петак двадесет отворен/затворен порасла/пала",
		"sk": "nie iba musí ak predtým mája piatok dvadsaťpäť otvorené/zatvorené vzrástla/klesla",
		"el": "δεν μόνο πρέπει αν πριν μαΐου παρασκευή είκοσι ανοιχτό/κλειστό αυξήθηκε/μειώθηκε",
		"ro": "nu doar trebuie dacă înainte mai vineri douăzeci deschisă/închisă crescut/scăzut",
		"ca": "no només cal si abans maig divendres vint-i-cinc obertes/tancades augmentat/disminuït",
		"fa": "نیست فقط باید اگر قبل مه جمعه بیست باز/بسته افزایش/کاهش",
		"bn": "না শুধু উচিত যদি আগে মে শুক্রবার পঁচিশ চালু/বন্ধ বেড়েছে/কমেছে",
		"ta": "இல்லை மட்டும் வேண்டும் என்றால் முன்பு மே வெள்ளி இருபத்தைந்து திறந்த/மூடிய அதிகரித்தது/குறைந்தது",
		"sw": "si pekee lazima kama kabla mei ijumaa ishirini imefunguliwa/imefungwa imeongezeka/imepungua",
		"cs": "není jen musí pokud před května pátek pětadvacet otevřeno/zavřeno vzrostla/klesla",
	} {
		words := strings.Fields(line)
		for i, section := range strings.Fields("negation restriction modality condition comparison month day number") {
			if w := words[i]; section == "month" || section == "day" {
				if language.Head(section, w) != "5" {
					t.Errorf("%s: the %s %q is %q", language, section, w, language.Head(section, w))
				}
			} else if !language.Has(section, w) {
				t.Errorf("%s: %s has no %q", language, section, w)
			}
		}
		for _, pair := range words[8:] {
			if a, b, _ := strings.Cut(pair, "/"); !language.Opposites(a, b) || language.SameStem(a, b) {
				t.Errorf("%s: %q and %q are no opposites", language, a, b)
			}
		}
	}
}
