// Prints containerd's default seccomp profile as JSON, as it is for a container without
// capabilities (Kubernetes: RuntimeDefault). `npm run seccomp` runs it.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/containerd/containerd/v2/contrib/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
)

func main() {
	process := &specs.Process{Capabilities: &specs.LinuxCapabilities{}}
	profile := seccomp.DefaultProfile(&specs.Spec{Process: process})
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(profile); err != nil {
		log.Fatal(err)
	}
}
