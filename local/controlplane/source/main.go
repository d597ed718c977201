// Command cluster is every process of a Kubernetes control plane in one binary, so that what they
// share is linked once. The first argument chooses the process; the rest are its own flags.
package main

import (
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"

	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	processes := map[string]func() *cobra.Command{
		"etcd":        newStoreCommand,
		"apiserver":   apiserver.NewAPIServerCommand,
		"controllers": controllers.NewControllerManagerCommand,
		"scheduler":   func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	}
	if len(os.Args) > 1 {
		if build, known := processes[os.Args[1]]; known {
			os.Args = append(os.Args[:1], os.Args[2:]...)
			os.Exit(cli.Run(build()))
		}
	}
	fmt.Fprintln(os.Stderr, "the first argument is one of etcd, apiserver, controllers, scheduler")
	os.Exit(2)
}

// newStoreCommand runs a store of one member that lives as long as the cluster does: nothing is
// forced to the disk, because nothing has to survive.
func newStoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:          "etcd FOLDER CLIENT_PORT PEER_PORT",
		Args:         cobra.ExactArgs(3),
		SilenceUsage: true,
		RunE: func(_ *cobra.Command, given []string) error {
			config := embed.NewConfig()
			config.UnsafeNoFsync = true
			config.LogLevel = "warn"
			config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // else each is told
			config.Dir = given[0]
			config.ListenClientUrls, config.AdvertiseClientUrls = loopback(given[1])
			config.ListenPeerUrls, config.AdvertisePeerUrls = loopback(given[2])
			config.InitialCluster = config.InitialClusterFromName(config.Name)
			store, err := embed.StartEtcd(config)
			if err != nil {
				return err
			}
			return <-store.Err()
		},
	}
}

func loopback(port string) (listen, advertise []url.URL) {
	address := []url.URL{{Scheme: "http", Host: "127.0.0.1:" + port}}
	return address, address
}
