package text

import (
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		language Language
		words    string
		value    string
		n        int
	}{
		{English, "twenty five users", "25", 2},
		{English, "twenty-five users", "25", 1},
		{English, "three hundred and five", "305", 4},
		{English, "two million three hundred thousand and six", "2300006", 7},
		{English, "hundred", "100", 1},
		{English, "twenty and five", "20", 1},
		{English, "five twenty", "5", 1},
		{English, "two and", "2", 1},
		{English, "two hundred and nothing", "200", 2},
		{English, "twenty-first of", "21th", 1},
		{English, "first second", "1th", 1},
		{English, "and five", "", 0},
		{English, "onerous", "", 0},
		{English, "server", "", 0},
		{English, "", "", 0},
		{"de", "einundzwanzig nutzer", "21", 1},
		{"de", "dreihundertfünfundvierzigtausendsechshundertachtundsiebzig", "345678", 1},
		{"de", "zwei millionen dreihunderttausend", "2300000", 3},
		{"de", "siebenundneunzig", "97", 1},
		{"de", "einhunderteins", "101", 1},
		{"de", "einundzwanzigsten mai", "21th", 1},
		{"de", "zwei und drei", "2", 1},
		{"de", "ein nutzer", "", 0},
		{"es", "veintidós usuarios", "22", 1},
		{"es", "treinta y cinco", "35", 3},
		{"es", "dos mil quinientos cuarenta y uno", "2541", 6},
		{"es", "un millón", "1000000", 2},
		{"es", "un servidor", "", 0},
		{"it", "ventuno utenti", "21", 1},
		{"it", "trentotto", "38", 1},
		{"it", "duemilacinquecentoquarantatré", "2543", 1},
		{"it", "cento", "100", 1},
		{"fr", "quatre-vingt-dix-sept", "97", 1},
		{"fr", "quatre-vingts clients", "80", 1},
		{"fr", "quatre vingt dix-sept", "97", 3},
		{"fr", "soixante et onze", "71", 3},
		{"fr", "soixante-quinze", "75", 1},
		{"fr", "vingt et un jours", "21", 3},
		{"fr", "deux cent cinquante mille trois cent douze", "250312", 7},
		{"fr", "vingt-deuxième", "22th", 1},
		{"fr", "un serveur", "", 0},
		{"pt", "vinte e cinco minutos", "25", 3},
		{"pt", "dois mil quinhentos e quarenta e um", "2541", 7},
		{"nl", "vijfentwintig gebruikers", "25", 1},
		{"nl", "tweeëntwintig", "22", 1},
		{"nl", "driehonderdvijfenveertigduizend", "345000", 1},
		{"nl", "eenentwintigste", "21th", 1},
		{"nl", "een server", "", 0},
		{"sv", "tjugofem användare", "25", 1},
		{"sv", "trehundrafyrtiofemtusen", "345000", 1},
		{"sv", "tjugoett", "21", 1},
		{"sv", "en server", "", 0},
		{"pl", "dwadzieścia pięć minut", "25", 2},
		{"pl", "dwa tysiące trzysta czterdzieści pięć", "2345", 5},
		{"pl", "dwudziesty pierwszy", "21th", 2},
		{"da", "femogtyve brugere", "25", 1},
		{"da", "syvoghalvfems", "97", 1},
		{"da", "to hundrede og fem", "205", 4},
		{"nb", "tjuefem brukere", "25", 1},
		{"nb", "femogtyve", "25", 1},
		{"cs", "dvacet pět minut", "25", 2},
		{"cs", "pětadvacet minut", "25", 1},
		{"cs", "dvě stě třicet", "230", 3},
		{Unknown, "five", "", 0},
		{"ru", "двадцать пять минут", "25", 2},
		{"ru", "двух тысяч трёхсот", "2300", 3},
		{"tr", "yirmi beş dakika", "25", 2},
		{"fi", "kaksikymmentäviisi minuuttia", "25", 1},
		{"fi", "kolmesataa", "300", 1},
		{"hu", "huszonöt perc", "25", 1},
		{"hu", "harmincöt", "35", 1},
		{"id", "dua puluh lima menit", "25", 3},
		{"hi", "पच्चीस मिनट", "25", 1},
		{"hi", "दो सौ", "200", 2},
		{"ar", "خمسة وعشرون دقيقة", "25", 2},
		{"zh", "二十五", "25", 1},
		{"zh", "三百零五", "305", 1},
		{"ja", "二十五", "25", 1},
		{"ko", "이십오", "25", 1},
		{"ko", "스물다섯", "25", 1},
	} {
		if value, n := c.language.Number(strings.Fields(c.words)); value != c.value || n != c.n {
			t.Errorf("%s %q: %q, %d, want %q, %d", c.language, c.words, value, n, c.value, c.n)
		}
	}
}
