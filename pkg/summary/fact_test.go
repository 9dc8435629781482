package summary_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/summary"
)

// TestFactsStay hides a sentence with a fact amid talk, in many languages and scripts, and
// wants it in a summary of a third of the text.
func TestFactsStay(t *testing.T) {
	tests := []struct{ name, talk, key string }{
		{"English port", "The afternoon was long and nobody was in a hurry. We talked about the garden behind the house and about the roses. Somebody opened a window because the air was heavy. Later the tea was cold and a bird sang on the roof.", "The gateway listens on port 8443."},
		{"German ordinal", "Der Nachmittag war lang und niemand hatte es eilig. Wir sprachen über den Garten hinter dem Haus und über die Rosen. Jemand öffnete ein Fenster, weil die Luft schwer war. Später war der Tee kalt und ein Vogel sang auf dem Dach.", "Der alte Rechner wird am 14. April abgeschaltet."},
		{"French name", "L'après-midi était long et personne n'était pressé. Nous avons parlé du jardin derrière la maison et des roses. Quelqu'un a ouvert une fenêtre parce que l'air était lourd. Plus tard le thé était froid et un oiseau chantait sur le toit.", "Le contrat est signé par Odile Marchand depuis hier."},
		{"Spanish version", "La tarde fue larga y nadie tenía prisa. Hablamos del jardín detrás de la casa y de las rosas. Alguien abrió una ventana porque el aire era pesado. Más tarde el té estaba frío y un pájaro cantaba en el tejado.", "El servicio queda en la versión v4.7.2."},
		{"Russian", "День был долгим, и никто никуда не спешил. Мы говорили о саде за домом и о розах. Кто-то открыл окно, потому что воздух был тяжёлым. Потом чай остыл, и птица пела на крыше.", "Очередь переехала на сервер mq-north."},
		{"Greek", "Το απόγευμα ήταν μεγάλο και κανείς δεν βιαζόταν. Μιλήσαμε για τον κήπο πίσω από το σπίτι και για τα τριαντάφυλλα. Κάποιος άνοιξε ένα παράθυρο γιατί ο αέρας ήταν βαρύς. Αργότερα το τσάι ήταν κρύο και ένα πουλί τραγουδούσε.", "Το όριο είναι τώρα 250 αιτήματα."},
		{"Turkish", "Öğleden sonra uzundu ve kimsenin acelesi yoktu. Evin arkasındaki bahçeden ve güllerden konuştuk. Hava ağır olduğu için biri pencereyi açtı. Sonra çay soğudu ve çatıda bir kuş öttü.", "Yedekler artık 03:40 saatinde alınıyor."},
		{"Arabic", "كان المساء طويلا ولم يكن أحد مستعجلا. تحدثنا عن الحديقة خلف البيت وعن الورود. فتح أحدهم النافذة لأن الهواء كان ثقيلا. بعد ذلك برد الشاي وغرد عصفور على السطح.", "تستمع البوابة الآن على المنفذ 8443."},
		{"Hindi", "दोपहर लंबी थी और किसी को जल्दी नहीं थी। हमने घर के पीछे के बगीचे और गुलाबों की बात की। किसी ने खिड़की खोली क्योंकि हवा भारी थी। बाद में चाय ठंडी हो गई और छत पर एक चिड़िया गाने लगी।", "गेटवे अब पोर्ट ८४४३ पर चलता है।"},
		{"Hebrew", "אחר הצהריים היה ארוך ואף אחד לא מיהר. דיברנו על הגינה מאחורי הבית ועל הוורדים. מישהו פתח חלון כי האוויר היה כבד. אחר כך התה היה קר וציפור שרה על הגג.", "השירות עבר לשרת orders-db."},
		{"Korean", "오후는 길었고 아무도 서두르지 않았다. 우리는 집 뒤의 정원과 장미 이야기를 했다. 누군가 공기가 무거워서 창문을 열었다. 나중에 차가 식었고 지붕에서 새가 노래했다.", "게이트웨이는 이제 포트 8443을 쓴다."},
		{"Japanese glued", "午後は長くて、誰も急いでいなかった。私たちは家の裏の庭とバラの話をした。空気が重かったので、誰かが窓を開けた。そのあとお茶は冷めて、屋根で鳥が鳴いていた。", "結局バージョンはv2.3.1のままだ。"},
		{"Chinese glued", "下午很长，谁也不着急。我们聊了屋后的花园和玫瑰。空气很闷，有人打开了窗户。后来茶凉了，屋顶上有一只鸟在唱歌。", "网关改用端口8443。"},
		{"Chinese URL", "下午很长，谁也不着急。我们聊了屋后的花园和玫瑰。空气很闷，有人打开了窗户。后来茶凉了，屋顶上有一只鸟在唱歌。", "参见https://wiki.example.test/runbook。"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			space := " "
			if strings.Contains(tt.talk, "。") {
				space = ""
			}
			text := tt.talk + space + tt.key
			words := max(16, len(strings.Fields(tt.talk))/2)
			if got := summary.Flat(text, "", words, time.Time{}); !strings.Contains(got, tt.key) {
				t.Errorf("%q is not in %q", tt.key, got)
			}
		})
	}
}

func TestJournalIsNoNews(t *testing.T) {
	var b strings.Builder
	b.WriteString("Am Morgen fiel die Heizung im Nordflügel aus, und niemand wusste zunächst, warum das so war.\n\n")
	for i := range 20 {
		fmt.Fprintf(&b, "7:%02d Uhr: Frau Behrens misst die Vorlauftemperatur und trägt %d Grad ein.\n", i+10, 20+i)
	}
	b.WriteString("\nEntscheidung: Die Pumpe wird bis zum 3. Mai gegen das Modell HX-220 getauscht.\n")
	got := summary.Flat(b.String(), "", 40, time.Time{})
	if !strings.Contains(got, "bis zum 3. Mai gegen das Modell HX-220") || strings.Contains(got, "Behrens") {
		t.Errorf("%q", got)
	}
}

func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want string
	}{{1, "… 1 more entry"}, {12, "… 12 more entries"}} {
		if got := summary.Mark(tt.n); got != tt.want || summary.Marked(got) != tt.n {
			t.Errorf("Mark(%d) = %q, which stands for %d", tt.n, got, summary.Marked(got))
		}
	}
	for _, s := range []string{"", "…", "12 more entries", "… 1 more entries", "… 0 more entries", "… -1 more entries", "… 12 more entries of the list"} {
		if n := summary.Marked(s); n != 0 {
			t.Errorf("Marked(%q) = %d", s, n)
		}
	}
}

// TestCutLists counts what is left out of each list of a text.
func TestCutLists(t *testing.T) {
	item := "- The valve of the boiler number %d was opened and closed by the night shift of the plant\n"
	var b strings.Builder
	b.WriteString("The plant was inspected on Monday and these valves were moved:\n\n")
	fmt.Fprintf(&b, item, 7)
	b.WriteString("- The pressure gauge of the old turbine shows 14 bar and has to be replaced\n")
	for i := range 9 {
		fmt.Fprintf(&b, item, i+20)
	}
	got := summary.Flat(b.String(), "", 40, time.Time{})
	kept := strings.Count(got, "valve of the boiler") + strings.Count(got, "pressure gauge")
	if want := summary.Mark(11 - kept); kept == 0 || kept == 11 || strings.Count(got, "…") != 1 || !strings.Contains(got, want) {
		t.Errorf("%d entries kept, want %q in %q", kept, want, got)
	}
}
