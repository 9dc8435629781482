package similarity

import (
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// negators turn a statement into its opposite, or nearly so. English, and the plain negations of some other languages that are no
// English words.
var negators = text.NewSet(`not no never without neither non nobody nothing nowhere none hardly barely scarcely rarely seldom
	nicht kein keine keinen keinem keiner nie niemals ohne
	pas jamais sans nunca jamás não nem senza
	不 没 沒 未 非 无 無`)

// refusals negate the verb that follows them with "to": fail to start, decline to comment.
var refusals = text.NewSet(`fail fails failed failing refuse refuses refused refusing decline declines declined declining neglect neglects neglected
	neglecting forget forgets forgot forgotten forgetting cease ceases ceased ceasing`)

// denials negate by what they mean. They make up for a negation, and tell nothing where there is none.
var denials = text.NewSet(`fail fails failed failing lack lacks lacked lacking prevent prevents prevented preventing avoid avoids avoided avoiding
	omit omits omitted omitting skip skips skipped skipping refuse refuses refused refusing reject rejects rejected rejecting
	insufficient inadequate impossible unable incapable impracticable absent missing unavailable`)

// opposites maps a word to those that state the contrary.
var opposites = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	add := func(a, b string) {
		m[a] = append(m[a], b)
		m[b] = append(m[b], a)
	}
	for _, pair := range strings.Fields(oppositeVerbs) {
		a, b, _ := strings.Cut(pair, "/")
		x, y := inflect(a), inflect(b)
		for i := range x {
			add(x[i], y[i])
		}
	}
	for _, pair := range strings.Fields(oppositeWords) {
		a, b, _ := strings.Cut(pair, "/")
		add(a, b)
	}
	add(numberKey("1", ordinal), "last")
	return m
})

// oppositeVerbs are verbs that undo or exclude each other. All forms of the regular ones count; other forms are among the words.
const oppositeVerbs = `enable/disable activate/deactivate allow/deny allow/forbid allow/block allow/prevent allow/prohibit allow/disallow
	permit/forbid permit/prohibit permit/deny accept/reject accept/refuse accept/decline approve/reject approve/deny grant/revoke grant/deny
	confirm/deny admit/deny include/exclude add/remove add/delete add/subtract create/delete create/destroy create/remove insert/delete
	insert/remove append/prepend build/destroy increase/decrease increase/reduce raise/lower raise/reduce rise/fall rise/drop rise/decline
	grow/shrink grow/decline climb/fall gain/lose win/lose improve/worsen improve/degrade strengthen/weaken start/stop stop/restart deprecate/support deprecate/recommend start/end start/finish
	begin/end begin/finish begin/stop open/close lock/unlock attach/detach connect/disconnect install/uninstall mount/unmount load/unload
	upgrade/downgrade import/export encode/decode encrypt/decrypt compress/decompress push/pull show/hide reveal/hide expose/hide
	expand/collapse expand/contract expand/shrink widen/narrow maximize/minimize maximise/minimise succeed/fail pass/fail hit/miss
	catch/throw catch/miss buy/sell keep/drop keep/remove keep/delete keep/discard retain/discard save/discard save/spend store/discard
	agree/disagree support/oppose favor/oppose favour/oppose appear/disappear appear/vanish arrive/leave arrive/depart enter/leave enter/exit
	join/leave stay/leave remain/leave come/go ask/answer give/take send/receive upload/download borrow/lend lend/return teach/learn love/hate
	like/dislike remember/forget trust/distrust live/die sleep/wake sit/stand lie/stand walk/run lead/follow merge/split join/split
	combine/separate tighten/loosen accelerate/decelerate pause/resume suspend/resume promote/demote praise/criticize praise/criticise
	ascend/descend float/sink freeze/melt freeze/thaw fill/empty heat/cool attack/defend reward/punish hire/fire fold/unfold wrap/unwrap
	read/write lift/lower pick/drop ignore/watch ignore/heed ignore/notice follow/ignore obey/ignore respect/ignore use/avoid prefer/avoid
	attract/repel acquit/convict praise/blame assemble/disassemble subscribe/unsubscribe publish/unpublish register/unregister
	register/deregister`

// oppositeWords are the ends of one scale, the states of one switch, and the partners in one relation.
const oppositeWords = `true/false on/off onto/off yes/no always/sometimes always/occasionally all/some most/few many/few much/little several/few
	both/neither everyone/someone success/failure allowed/forbidden legal/illegal must/may won/lost rose/fell bought/sold shown/hidden
	showed/hid grew/shrank grew/fell began/ended began/stopped came/went gave/took given/taken sent/received caught/threw caught/missed
	sat/stood slept/woke woke/slept built/destroyed made/destroyed lent/borrowed taught/learned taught/learnt forgot/remembered left/arrived
	left/stayed left/joined left/entered kept/dropped kept/removed kept/deleted kept/discarded read/wrote written/read sank/floated froze/melted
	led/followed lay/stood ran/walked ran/stopped
	up/down in/out into/out inside/outside indoors/outdoors indoors/outside indoor/outdoor before/after above/below over/under upward/downward
	upwards/downwards forward/backward forwards/backwards ahead/behind front/back front/rear clockwise/counterclockwise
	clockwise/anticlockwise toward/away towards/away for/against with/against since/until together/apart together/alone
	more/less more/fewer most/least minimum/maximum min/max minimal/maximal greater/less greater/smaller larger/smaller bigger/smaller
	higher/lower highest/lowest high/low upper/lower uppercase/lowercase above/beneath increase/reduction increase/decline growth/decline
	rise/decline gain/loss win/loss profit/loss surplus/deficit majority/minority plus/minus positive/negative ascending/descending asc/desc
	public/private required/optional mandatory/optional compulsory/optional obligatory/optional internal/external interior/exterior inner/outer
	inward/outward local/remote local/global online/offline inbound/outbound incoming/outgoing ingress/egress input/output inlet/outlet
	entrance/exit entry/exit open/closed present/absent presence/absence available/unavailable known/unknown next/previous old/new
	older/newer oldest/newest former/latter left/right leftmost/rightmost top/bottom north/south east/west northern/southern
	eastern/western northeast/southwest northwest/southeast
	manual/automatic manually/automatically synchronous/asynchronous sync/async serial/parallel sequential/parallel static/dynamic
	mutable/immutable temporary/permanent transient/persistent volatile/persistent ephemeral/persistent active/passive active/inactive busy/idle
	awake/asleep alive/dead occupied/free odd/even singular/plural single/multiple single/married explicit/implicit direct/indirect
	absolute/relative abstract/concrete analog/digital horizontal/vertical horizontally/vertically primary/secondary primary/replica
	primary/backup master/slave master/replica leader/follower client/server frontend/backend upstream/downstream source/destination
	source/target src/dst source/sink sender/receiver sender/recipient producer/consumer publisher/subscriber reader/writer encoder/decoder
	caller/callee parent/child ancestor/descendant buyer/seller teacher/student employer/employee winner/loser friend/enemy ally/enemy
	guilty/innocent pre/post login/logout logon/logoff signin/signout upload/download opt-in/opt-out debit/credit asset/liability supply/demand war/peace question/answer
	request/response production/staging production/development staging/development prod/staging prod/dev staging/dev prod/test
	early/late earlier/later fast/slow faster/slower fastest/slowest quick/slow quickly/slowly big/small bigger/smaller large/small huge/tiny
	long/short longer/shorter longest/shortest tall/short taller/shorter near/far nearer/farther deep/shallow hot/cold warm/cold warm/cool
	hotter/colder warmer/colder warmer/cooler full/empty crowded/empty wet/dry clean/dirty cleaner/dirtier hard/soft harder/softer hard/easy
	harder/easier strong/weak stronger/weaker rich/poor richer/poorer good/bad better/worse best/worst easy/difficult cheap/expensive
	cheaper/dearer wide/narrow wider/narrower broad/narrow thick/thin thicker/thinner heavy/light heavier/lighter dark/light dark/bright
	darker/lighter darker/brighter bright/dim loud/quiet louder/quieter loudly/quietly noisy/quiet silent/loud young/old younger/older
	happy/sad happily/sadly beautiful/ugly brave/cowardly polite/rude kind/cruel safe/dangerous safer/riskier sharp/blunt sharp/dull
	rough/smooth tight/loose tighter/looser strict/lenient straight/curved sweet/sour raw/cooked fresh/stale modern/ancient native/foreign
	domestic/foreign major/minor senior/junior superior/inferior optimistic/pessimistic healthy/sick simple/complex same/different
	similar/different equal/different partly/fully partially/fully partial/full partial/complete often/seldom frequently/occasionally
	day/night daytime/nighttime morning/evening summer/winter weekday/weekend beginning/end start/end
	male/female man/woman men/women boy/girl boys/girls father/mother brother/sister son/daughter husband/wife king/queen
	✓/✗ ✔/✘ ✅/❌ 👍/👎 ==/!= ===/!== </> <=/>= ≤/≥ </>= >/<=`

// inflect lists a regular verb's base, -s, -ed and -ing forms.
func inflect(verb string) []string {
	stem, third := strings.TrimSuffix(verb, "e"), verb+"s"
	switch {
	case hasSuffix(verb, "y"):
		y := strings.TrimSuffix(verb, "y")
		return []string{verb, y + "ies", y + "ied", verb + "ing"}
	case hasSuffix(verb, "ss", "sh", "ch"):
		third = verb + "es"
	case doubling.Has(verb):
		stem += verb[len(verb)-1:]
	}
	return []string{verb, third, stem + "ed", stem + "ing"}
}

// doubling are the verbs above that double their last letter.
var doubling = text.NewSet("stop permit forbid drop win begin forget sit hit let split run admit commit")

// negates reports whether one word is the other with a negative prefix, or with -less for -ful.
func negates(long, short string) bool {
	if x, ok := strings.CutSuffix(long, "ful"); ok && short == x+"less" {
		return true
	}
	if x, ok := strings.CutSuffix(short, "ful"); ok && long == x+"less" {
		return true
	}
	if len(long) < len(short) {
		long, short = short, long
	}
	prefix, ok := strings.CutSuffix(long, short)
	if !ok {
		return false
	}
	switch prefix {
	case "un":
		return len(short) > 3
	case "non":
		return len(short) > 2
	case "dis":
		return len(short) > 3 && !hasPrefix(short, "able", "play", "cover", "patch", "card", "pose", "miss", "count", "course",
			"solve", "charge", "close", "till", "pense")
	case "de", "mis", "anti":
		return len(short) > 5
	case "in", "im", "il", "ir":
		// Only before adjectives: input is not the contrary of put.
		return len(short) > 4 && hasSuffix(short, "ble", "bly", "ent", "ently", "ency", "ant", "ance", "ate", "ately", "ete", "ect",
			"ectly", "id", "ive", "ively", "ure", "urely", "al", "ally", "ite", "act", "er", "ar", "tely", "ity", "icit")
	}
	return false
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func hasSuffix(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}
