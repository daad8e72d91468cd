package virtualization

import "terrier/internal/record"

// ClusterGroup is a set of clusters.
var ClusterGroup = record.Type{
	App: "virtualization", Name: "clustergroup", Plural: "cluster-groups", Label: "cluster group", Section: "Clusters",
	Doc: "A set of clusters.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Slug{Name: "slug"},
		description,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "cluster_count", Of: "virtualization.cluster", By: "group"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"cluster_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
