package memory

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ClusterSummary is the subtype of memories that summarise a cluster of others.
const ClusterSummary = "cluster_summary"

// IsClusterSummary reports whether a memory summarises a cluster: it is kept by "memory enrich", and takes part in nothing else.
func IsClusterSummary(m *Memory) bool {
	return strings.EqualFold(strings.TrimSpace(m.Subtype), ClusterSummary)
}

// Cluster is what the summary of one says of it.
type Cluster struct {
	Members   []ClusterMember
	LeftOut   []ClusterMember // that the rules found with them, and a model said to be about something else
	Near      [][2]string     // ids of members that a server of embeddings found near in meaning, as they were then
	Coherence float64         // mean likeness of the members, 0 to 1
	By        string          // "rules", or the model that chose the sentences
	Written   string          // digest of the content as it was written: another one is somebody's edit
	At        time.Time
}

// ClusterMember is a memory of a cluster, and what it said when the summary was written.
type ClusterMember struct{ ID, Digest string }

// IDs lists the members.
func (c Cluster) IDs() []string {
	ids := make([]string, len(c.Members))
	for i, m := range c.Members {
		ids[i] = m.ID
	}
	return ids
}

// ClusterOf reads the cluster that a memory summarises. What is missing there is zero.
func ClusterOf(m *Memory) (c Cluster) {
	v := gjson.GetBytes(m.Raw(), "cluster")
	for name, list := range map[string]*[]ClusterMember{"members": &c.Members, "left_out": &c.LeftOut} {
		v.Get(name).ForEach(func(_, member gjson.Result) bool {
			if id := member.Get("id").Str; id != "" {
				*list = append(*list, ClusterMember{id, member.Get("digest").Str})
			}
			return true
		})
	}
	v.Get("near").ForEach(func(_, p gjson.Result) bool {
		if ends := p.Array(); len(ends) == 2 && ends[0].Str != "" && ends[1].Str != "" {
			c.Near = append(c.Near, [2]string{ends[0].Str, ends[1].Str})
		}
		return true
	})
	c.Coherence, c.By, c.Written = v.Get("coherence").Num, v.Get("by").Str, v.Get("written").Str
	c.At = timestamp.Parse(v.Get("at").Str)
	return c
}
