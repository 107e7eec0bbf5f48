//go:build !js

package e2e

import (
	"flag"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// hosts are those under which the durability stories are told again. `make test`
// has one short row of the shared host, `make hosts` all of them.
var hosts = flag.String("hosts", "",
	"hosts of TestHosts, by commas: shared, killed, worker; none is the short row")

// hostStory is a story that says what lasts, whatever host Holdfast runs in.
type hostStory struct {
	tell  func(*testing.T)
	under []chrome.Host
	short bool // also in the short row
}

// Under which hosts a story is true. In the page, or where all of a host dies with
// the page, a reload cuts what is open, and in the shared host it does not. In the shared
// host no page follows another's call: all have it from one.
var (
	anywhere = []chrome.Host{chrome.SharedHost, chrome.KilledHost, chrome.WorkerHost}
	cutting  = []chrome.Host{chrome.KilledHost, chrome.WorkerHost}
	alone    = []chrome.Host{chrome.WorkerHost}
	shared   = []chrome.Host{chrome.SharedHost}
)

// hostStories is the matrix. What is not in it has to do with the page itself: its
// globals, its freezing, its network, the wasm that it loads; or keeps nothing.
var hostStories = []hostStory{
	{TestStoryReloadInTheMiddle, anywhere, true},
	{TestStoryReloadWithoutTheServer, anywhere, false},
	{TestStoryKeys, anywhere, false},
	{TestFault721_RowsThatDoNotOpen, cutting, false},
	{TestFault721_SessionsThatDoNotOpen, cutting, false},
	{TestFault55_TakenAndNotConfirmed, anywhere, false},
	{TestFault55_QuestionLeftOpen, anywhere, true},
	{TestFault55_RoundLeftOpen, anywhere, false},
	{TestFault56_SessionGone, anywhere, false},
	{TestFault151_ServerRestarted, anywhere, false},
	{TestFault151_TheNextSessionHasIt, anywhere, false},
	{TestFault57_AnotherPageOfTheOrigin, anywhere, false},
	{TestFault61_CrashedTab, anywhere, true},
	{TestStoryResumableHangsUp, anywhere, false},
	{TestStoryResumableAskedWhileAway, anywhere, false},
	{TestFault35_CutBeforeTheHead, anywhere, false},
	{TestFault51_KilledInAStream, anywhere, false},
	{TestKills, anywhere, false},
	{TestFault52_ReloadWhileConnecting, anywhere, false},
	{TestFault53_BetweenCommitAndAck, anywhere, false},
	{TestFault53_AckedEvents, anywhere, false},
	{TestStoryCutTwiceAndResume, anywhere, false},
	{TestFault37_ResumeCutBeforeAnyIDInChrome, anywhere, false},
	{TestFault41_ReplayRepeatsEventsInChrome, anywhere, false},
	{TestStoryServerRestart, anywhere, false},
	{TestFault107_AnswerLostInChrome, anywhere, false},
	{TestTask_Core, anywhere, false},
	{TestTask_Continue, anywhere, false},
	{TestTask_Extension, anywhere, false},
	{TestTask_Streamed, anywhere, false},
	{TestFault132_AckedStaysAcked, anywhere, false},
	{TestFault132_AckedAsThePageGoes, anywhere, false},
	{TestFault133_KeptUntilTheAppHasIt, anywhere, false},
	{TestStoryDetachedWithPolicy, anywhere, false},
	{TestStoryLogoutWithASecondTab, anywhere, false},
	{TestFault82_UsersApart, anywhere, false},
	{TestFault82_ServersAndUsersApart, anywhere, false},
	{TestFault80_OneHandshake, anywhere, false},
	{TestStoryTokenProvider, anywhere, false},
	{TestStoryTokenProviderFails, anywhere, false},
	{TestFault137_ExpiredAtConnect, anywhere, false},
	{TestTaskAPI_Drafts, anywhere, false},
	{TestFault123_TwoUsersInTurn, anywhere, false},
	{TestFault123_TheUserChangesInMidSession, anywhere, false},
	{TestStoryUserChanges, anywhere, true},
	{TestReloads, anywhere, false},
	{TestCuts, anywhere, false},
	{TestAgentPermissionOverReload, anywhere, false},
	{TestAgentPermissionWithdrawn, anywhere, false},
	{TestAgentTurn, anywhere, false},
	{TestAgentCut, anywhere, false},
	{TestStorySignInByPopup, shared, false},
	{TestStorySignInByRedirect, shared, true},
	{TestStoryAgentSignIn, shared, false},
	{TestFault230_RefreshedOnceByFourTabs, shared, false},
	{TestFault231_MoreScopesAskAPerson, shared, false},
	{TestFault232_NobodySignsIn, shared, false},
	{TestFault233_TwoUsersInTurn, shared, false},
	{TestFault234_SignedOutByAWipe, shared, false},
	{TestFault237_AuthorizationServerDown, shared, false},
	{TestFault289_ReloadedWhileATokenIsOnItsWay, shared, false},
	// A reload has to cut something there.
	{TestFault41_ReplayFromTheStartAfterAReload, cutting, false},
	{TestFault55_AnsweredAndNotSent, cutting, false},
	{TestFault56_MaxWaitIsOver, cutting, false},
	{TestStoryResumableReload, cutting, false},
	{TestStoryResumableWithoutTheCursor, cutting, false},
	{TestFault54_KilledAfterThePOST, cutting, false},
	{TestFault54_ReloadedAfterThePOST, cutting, false},
	{TestTaskAPI_StateOverReload, cutting, false},
	{TestFault95_ReloadWithAGapInChrome, cutting, false},
	{TestFault107_AnsweredAndReloadedInChrome, cutting, false},
	{TestFault144_SameKeyWheneverItIsSent, cutting, false},
	{TestTaskSchedules, cutting, false},
	{TestFault52_ReloadAtEveryPoint, cutting, false},
	{TestFault143_HintsAreNotOrders, cutting, false},
	{TestFault55_RoundAnswered, cutting, false},
	{TestAgentReload, cutting, false},
	// A reload has to cut there, and the page has to know that: that a worker is killed with its page no
	// page can know.
	{TestStoryGuarantee, alone, false},
	// Each page has to be a host of its own there.
	{TestTabs, alone, false},
	{TestTabsListen, alone, false},
	{TestFault92_ResumedByOneTab, alone, false},
	{TestFault75_TakeOver, alone, false},
	{TestFault57_BackForwardCache, alone, false},
	{TestFault57_BackAlone, alone, false},
	{TestFault148_HearsAgain, alone, false},
	{TestFault124_PairsOfTabs, alone, false},
	{TestFault79_TwoTabsAnswer, alone, false},
	{TestFault132_FollowerAcks, alone, false},
	{TestAgentTabs, alone, false},
	{TestAgentDrafts, alone, false},
	{TestAgentTabsPrompt, alone, false},
	{TestAgentTabsAnswer, alone, false},
}

// TestHosts tells the stories of the matrix.
func TestHosts(t *testing.T) {
	chosen := []chrome.Host{chrome.SharedHost}
	if *hosts != "" {
		chosen = nil
		for name := range strings.SplitSeq(*hosts, ",") {
			chosen = append(chosen, chrome.Host(name))
		}
	}
	for _, host := range chosen {
		t.Run(string(host), func(t *testing.T) {
			for _, story := range hostStories {
				if slices.Contains(story.under, host) && (story.short || *hosts != "") {
					t.Run(strings.TrimPrefix(story.name(), "Test"), story.tell)
				}
			}
		})
	}
}

// name is that of the story's function.
func (s hostStory) name() string {
	full := runtime.FuncForPC(reflect.ValueOf(s.tell).Pointer()).Name()
	return full[strings.LastIndexByte(full, '.')+1:]
}
