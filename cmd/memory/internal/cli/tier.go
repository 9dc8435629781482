package cli

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
)

// scored are the settings by which memories are scored: where they can't be read, the
// defaults, since a list is wanted all the more then.
func (c *call) scored() *config.Settings {
	if c.scoring == nil {
		settings := config.Default()
		if conf, err := c.settings(); err == nil {
			settings = conf.Settings
		}
		c.scoring = &settings
	}
	return c.scoring
}

// score tells how much a memory still matters at the command's time.
func (c *call) score(m *memory.Memory) retention.Score {
	return retention.Of(m, c.at, *c.scored())
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
	_, err = c.settings() // by which memories are chosen
	return &tier, err
}

// tierText writes how many memories each tier has, "" where there are none.
func tierText(tiers map[string]int) string {
	var parts []string
	for _, name := range retention.TierNames() {
		if tiers[name] > 0 {
			parts = append(parts, thousands(tiers[name])+" "+name)
		}
	}
	return strings.Join(parts, ", ")
}

// scoreText writes a score with its parts.
func scoreText(s retention.Score) string {
	text := fmt.Sprintf("%s: score %.2f of recency %.2f, reads %.2f, importance %.2f", s.Tier, s.Score, s.Recency, s.Activation, s.Importance)
	if s.Superseded {
		text += ", superseded"
	}
	return text
}
