package virtualization

import "terrier/internal/record"

// ClusterType is the technology of a cluster.
var ClusterType = record.Type{
	App: "virtualization", Name: "clustertype", Plural: "cluster-types", Label: "cluster type", Section: "Clusters",
	Doc: "The technology of a cluster.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Slug{Name: "slug"},
		description,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "cluster_count", Of: "virtualization.cluster", By: "type"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"cluster_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
