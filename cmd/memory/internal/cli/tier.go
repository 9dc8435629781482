package cli

import (
	"fmt"
	"math"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// scorer tells how much a memory still matters at the command's time.
type scorer func(*workspace.Memory) retention.Score

// scores computes retention by the settings; where those can't be read, by the
// defaults: a list is wanted all the more then.
func (c *call) scores() (scorer, error) {
	if _, err := c.open(); err != nil {
		return nil, err
	}
	settings := config.Default()
	if conf, err := c.settings(); err == nil {
		settings = conf.Settings
	} else if c.flags.String("tier") != "" {
		return nil, err
	}
	return func(m *workspace.Memory) retention.Score { return retention.Of(m, c.at, settings) }, nil
}

func tierFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "tier", Usage: "only memories of `TIER`: hot, warm, cold or archived (which is how much they matter, not where they lie)"}
}

// tier reads the flag --tier; nil when it isn't given.
func (c *call) tier() (*retention.Tier, error) {
	name := c.flags.String("tier")
	if name == "" {
		return nil, nil
	}
	tier, err := retention.ParseTier(name)
	if err != nil {
		return nil, usagef("--tier: %w", err)
	}
	return &tier, nil
}

func tierNames() (names []string) {
	for _, t := range retention.Tiers() {
		names = append(names, t.String())
	}
	return names
}

// scoreText writes a score with its parts.
func scoreText(s retention.Score) string {
	text := fmt.Sprintf("%s: score %.2f of recency %.2f, reads %.2f, importance %.2f", s.Tier, s.Score, s.Recency, s.Activation, s.Importance)
	if s.Superseded {
		text += ", superseded"
	}
	return text
}

func hundredths(x float64) float64 { return math.Round(x*100) / 100 }
