package temporal_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
)

// TestLanguages reads the tables of testdata.
func TestLanguages(t *testing.T) {
	for _, code := range temporal.Codes()[1:] {
		t.Run(code, func(t *testing.T) {
			content, err := os.ReadFile("testdata/" + code + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			cases := 0
			for line := range strings.Lines(string(content)) {
				line, want, ok := strings.Cut(strings.TrimRight(line, "\n"), " |")
				if !ok || line[0] == '#' {
					continue
				}
				cases++
				var got []string
				for _, s := range temporal.ResolveIn(line, ref, text.Language(code)) {
					d := describe(s)
					if s.Text != line {
						d = "[" + s.Text + "] " + d
					}
					got = append(got, d)
				}
				if got := strings.Join(got, "; "); got != strings.TrimSpace(want) {
					t.Errorf("%q\n got %s\nwant %s", line, got, want)
				}
			}
			if cases < 15 {
				t.Errorf("only %d cases", cases)
			}
		})
	}
}

// TestResolveEveryLanguage reads the tables once more, as a user does: without naming the language, in a
// text that has enough words to tell it.
func TestResolveEveryLanguage(t *testing.T) {
	for _, code := range temporal.Codes()[1:] {
		t.Run(code, func(t *testing.T) {
			content, err := os.ReadFile("testdata/" + code + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(string(content)) {
				if line, _, ok := strings.Cut(strings.TrimRight(line, "\n"), " |"); ok && line[0] != '#' {
					lines = append(lines, line)
				}
			}
			whole := strings.Join(lines, ".\n")
			got, want := temporal.Resolve(whole, ref), temporal.ResolveIn(whole, ref, text.Language(code))
			if len(got) == 0 || len(got) < len(want)/2 {
				t.Errorf("Resolve finds %d expressions, ResolveIn %d", len(got), len(want))
			}
			found := 0
			for _, line := range lines[:5] {
				found += min(1, len(temporal.Resolve(line, ref)))
			}
			if found == 0 {
				t.Errorf("none of %q is found alone", lines[:5])
			}
		})
	}
}

// TestNoTimes reads words of time that name something else, and delays of programs.
func TestNoTimes(t *testing.T) {
	golden{
		{"The class Yesterday in calendar.py returns the wrong value.", ""},
		{"Yesterday in calendar.py returns the wrong value.", ""},
		{"We built a chatbot called Friday for the support team.", ""},
		{"Our assistant is called Sunday.", ""},
		{"The bot Friday answers questions.", ""},
		{"On 429, retry after 30 seconds.", ""},
		{"The client gives up after 5 minutes.", ""},
		{"April leads the design team and Summer writes the texts.", ""},
		{"Bei 429 in 30 Sekunden erneut versuchen.", ""},
		{"Karim called Friday.", "[Friday] 2026-03-06 +1d day relative likely"},
		{"April sales rose.", "[April] 2025-04-01 +30d month likely"},
	}.check(t)
}

// TestAhead reads what must be done as lying ahead.
func TestAhead(t *testing.T) {
	golden{
		{"The audit must be done by the end of January.", "[the end of January] 2027-01-21 +11d range until likely"},
		{"All invoices have to be paid by the end of January.", "[the end of January] 2027-01-21 +11d range until likely"},
		{"The audit was done by the end of January.", "[the end of January] 2026-01-21 +11d range until likely"},
		{"Ο έλεγχος έγινε χθες.", "[χθες] 2026-03-10 +1d day relative"},
		{"The demo is on Wednesday week.", "[Wednesday week] 2026-03-18 +1d day relative likely"},
	}.check(t)
}

// TestUnknownLanguage reads texts too short to tell their language: the expression decides if one language has it.
func TestUnknownLanguage(t *testing.T) {
	golden{
		{"vorgestern", "2026-03-09 +1d day relative"},
		{"avant-hier", "2026-03-09 +1d day relative"},
		{"вчера", "2026-03-10 +1d day relative"},
		{"vor zwei Wochen", "2026-02-23 +7d week relative"},
		{"3. Mai 2026", "2026-05-03 +1d day"},
		{"3 maja 2026", "2026-05-03 +1d day"},
		{"la semaine prochaine", "2026-03-16 +7d week relative"},
		{"一昨日", "2026-03-09 +1d day relative"},
		{"昨日", "2026-03-10 +1d day relative"},
		{"上周五", "2026-03-06 +1d day relative"},
		{"was haben wir gestern entschieden", "[gestern] 2026-03-10 +1d day relative"},
		{"hier", ""},
		{"Morgen", ""},
		{"März", ""},
		{"Mars 3", ""},
		{"mar", ""},
		{"24h", ""},
		{"03/05/2026", "2026-03-05 +1d day guess"},
		{"13/05/2026", "2026-05-13 +1d day"},
		{"٣ مايو ٢٠٢٦", "2026-05-03 +1d day"},
	}.check(t)
}

func TestDataFilesNameWhatThereIs(t *testing.T) {
	for _, code := range temporal.Codes() {
		if unknown := temporal.Unknown(code); len(unknown) > 0 {
			t.Errorf("%s: %q", code, unknown)
		}
	}
}

// forms are the usual ways to write a date, of which 2 is the day, 1 the month, 2006 the year, and M the name of the month.
var forms = map[string][]string{
	"de": {"2. M 2006", "02.01.2006", "2.1.2006", "am 2.1.2006", "2006-01-02"},
	"fr": {"2 M 2006", "02/01/2006", "le 2 M 2006", "2006-01-02"},
	"es": {"2 de M de 2006", "2 de M del 2006", "02/01/2006", "2/1/2006"},
	"it": {"2 M 2006", "02/01/2006", "il 2 M 2006"},
	"pt": {"2 de M de 2006", "02/01/2006", "2/1/2006"},
	"nl": {"2 M 2006", "02-01-2006", "2-1-2006"},
	"pl": {"2 M 2006", "2 M 2006 r.", "02.01.2006"},
	"ru": {"2 M 2006 года", "2 M 2006", "02.01.2006"},
	"tr": {"2 M 2006", "02.01.2006", "2 M 2006'da"},
	"sv": {"2 M 2006", "den 2 M 2006", "2006-01-02"},
	"da": {"2. M 2006", "02.01.2006"},
	"nb": {"2. M 2006", "02.01.2006"},
	"cs": {"2. M 2006", "02.01.2006"},
	"sk": {"2. M 2006", "02.01.2006"},
	"fi": {"2. M 2006", "02.01.2006"},
	"hu": {"2006. M 2.", "2006-01-02"},
	"hr": {"2. M 2006.", "02.01.2006"},
	"ro": {"2 M 2006", "02.01.2006"},
	"ca": {"2 de M de 2006", "02/01/2006"},
	"id": {"2 M 2006", "tanggal 2 M 2006", "02/01/2006"},
	"vi": {"ngày 2 tháng 1 năm 2006", "02/01/2006"},
	"uk": {"2 M 2006 року", "2 M 2006", "02.01.2006"},
	"bg": {"2 M 2006 г", "02.01.2006"},
	"el": {"2 M 2006", "02/01/2006"},
	"he": {"2 M 2006", "02/01/2006"},
	"ar": {"2 M 2006", "02/01/2006"},
	"fa": {"2 M 2006", "2006-01-02"},
	"hi": {"2 M 2006", "02/01/2006"},
	"bn": {"2 M 2006", "02/01/2006"},
	"th": {"2 M 2006", "วันที่ 2 M 2006", "02/01/2006"},
	"ja": {"2006年1月2日", "2006/01/02"},
	"zh": {"2006年1月2日", "2006年1月2号", "2006-01-02"},
	"ko": {"2006년 1월 2일", "2006-01-02"},
}

var months = map[string]string{
	"de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
	"fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
	"es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
	"it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
	"pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
	"nl": "januari februari maart april mei juni juli augustus september oktober november december",
	"pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
	"ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
	"sv": "januari februari mars april maj juni juli augusti september oktober november december",
	"da": "januar februar marts april maj juni juli august september oktober november december",
	"nb": "januar februar mars april mai juni juli august september oktober november desember",
	"cs": "ledna února března dubna května června července srpna září října listopadu prosince",
	"sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
	"fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
	"hu": "január február március április május június július augusztus szeptember október november december",
	"hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
	"ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
	"ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
	"id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
	"uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
	"bg": "януари февруари март април май юни юли август септември октомври ноември декември",
	"el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
	"he": "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר",
	"ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
	"fa": "ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
	"hi": "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
	"bn": "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর",
	"th": "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
	"tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}

func TestWrittenDatesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom(temporal.Codes()[1:]).Draw(t, "language")
		form := rapid.SampledFrom(forms[code]).Draw(t, "form")
		date := time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 50000).Draw(t, "day"))
		names, written := strings.Fields(months[code]), form
		if len(names) > 0 {
			written = strings.ReplaceAll(form, "M", "\x00")
		}
		written = date.Format(written)
		if len(names) > 0 {
			written = strings.ReplaceAll(written, "\x00", names[date.Month()-1])
		}
		spans := temporal.ResolveIn(written, ref, text.Language(code))
		if len(spans) != 1 || !spans[0].From.Equal(date) || !spans[0].To.Equal(date.AddDate(0, 0, 1)) {
			t.Fatalf("%s: %q is read as %v", code, written, spans)
		}
	})
}

func TestAnnotateInOtherLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Gestern hat der Import nicht funktioniert, vermutlich wegen der Spalte.": "Gestern (2026-03-10) hat der Import nicht funktioniert, vermutlich wegen der Spalte.",
		"昨日、取り込みが止まった。":                                                           "昨日 (2026-03-10)、取り込みが止まった。",
		"어제 적재가 멈췄다.":                                                             "어제 (2026-03-10) 적재가 멈췄다.",
		"vorige week gisteren":                                                    "vorige week (2026-03-02/2026-03-08) gisteren (2026-03-10)",
	} {
		got := temporal.Annotate(text, ref)
		if got != want {
			t.Errorf("Annotate(%q)\n got %q\nwant %q", text, got, want)
		}
		checkAnnotation(t, got, ref)
	}
}

func FuzzLanguages(f *testing.F) {
	for _, code := range temporal.Codes()[1:] {
		content, err := os.ReadFile("testdata/" + code + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkAnnotation(t, s, ref)
		for _, code := range temporal.Codes() {
			for _, x := range temporal.ResolveIn(s, ref, text.Language(code)) {
				if s[x.Start:x.End] != x.Text || !x.To.After(x.From) {
					t.Fatalf("%s: %+v", code, x)
				}
			}
		}
	})
}
