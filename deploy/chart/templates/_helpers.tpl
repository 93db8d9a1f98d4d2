{{- define "farm.name" -}}
{{- if contains "farm" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-farm" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "farm.labels" -}}
app.kubernetes.io/part-of: render-farm
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Labels that select the pods of a role. Argument: dict with root and role. */}}
{{- define "farm.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "farm.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "farm.workerNamespace" -}}
{{ .Values.workers.namespace | default .Release.Namespace }}
{{- end }}

{{/* Security of every container: what Kubernetes' profile `restricted` asks for, and a read-only root. */}}
{{- define "farm.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "farm.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end }}

{{- define "farm.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Writable folders of the control plane; its root is read-only. */}}
{{- define "farm.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- end }}
{{- define "farm.volumes" -}}
- { name: data, emptyDir: { sizeLimit: 1Gi } }
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- end }}

{{/* One key of a secret as environment. Argument: dict with name, secret, isOptional. */}}
{{- define "farm.fromSecret" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .name }}{{ if .isOptional }}, optional: true{{ end }} } }
{{- end }}

{{/* Environment of every role of the control plane. */}}
{{- define "farm.env" -}}
{{- $secret := .Values.secret }}
{{- range list "DATABASE_URL" "FARM_OBJECTS" "FARM_SECRET" }}
{{ include "farm.fromSecret" (dict "name" . "secret" $secret "isOptional" false) }}
{{- end }}
{{- range list "FARM_SEAL_KEYS" "FARM_NODE_TOKEN" "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" "TEMPORAL_API_KEY" }}
{{ include "farm.fromSecret" (dict "name" . "secret" $secret "isOptional" true) }}
{{- end }}
- { name: FARM_PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
{{- with .Values.temporal.tls }}
{{- if ne (toString .enabled) "" }}
- { name: TEMPORAL_TLS, value: {{ .enabled | quote }} }
{{- end }}
{{- with .serverName }}
- { name: TEMPORAL_TLS_SERVER_NAME, value: {{ . | quote }} }
{{- end }}
{{- with .secret }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_DATA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: ca.crt, optional: true } }
- name: TEMPORAL_TLS_CLIENT_CERT_DATA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.crt, optional: true } }
- name: TEMPORAL_TLS_CLIENT_KEY_DATA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.key, optional: true } }
{{- end }}
{{- end }}
{{- range $name, $value := .Values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{/* Environment of the scheduler beyond that. */}}
{{- define "farm.schedulerEnv" -}}
- { name: FARM_SCHEDULER_HOST, value: 0.0.0.0 }
- { name: FARM_SCHEDULER_PORT, value: {{ .Values.scheduler.port | quote }} }
{{- if .Values.scheduler.tlsSecret }}
{{ include "farm.tlsEnv" . }}
{{- else }}
- { name: FARM_INSECURE, value: '1' }
{{- end }}
{{- with .Values.scheduler.scaler }}
{{- if .enabled }}
- { name: FARM_SCALER_ADDRESS, value: '0.0.0.0:{{ .port }}' }
{{- end }}
{{- end }}
{{- with .Values.scheduler.enrolment }}
{{- if .enabled }}
- { name: FARM_ENROLMENT_ADDRESS, value: '0.0.0.0:{{ .port }}' }
- { name: FARM_ENROLMENT_CA_CERT, value: /etc/farm/enrolment/tls.crt }
- { name: FARM_ENROLMENT_CA_KEY, value: /etc/farm/enrolment/tls.key }
- { name: FARM_ENROLMENT_ISSUER, value: {{ .issuer | quote }} }
{{- if .jwksUrl }}
- { name: FARM_ENROLMENT_JWKS, value: {{ .jwksUrl | quote }} }
- { name: NODE_EXTRA_CA_CERTS, value: /etc/farm/cluster/ca.crt }
{{- else }}
- { name: FARM_ENROLMENT_JWKS, value: /etc/farm/cluster/jwks.json }
{{- end }}
- { name: FARM_ENROLMENT_ACCOUNTS, value: {{ include "farm.enrolledAccounts" $ | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{/* Pools of the service accounts of pods that enrol: namespace/account=pool, with commas. */}}
{{- define "farm.enrolledAccounts" -}}
{{- $accounts := list }}
{{- range .Values.pools }}
{{- if not .tlsSecret }}
{{- $accounts = append $accounts (printf "%s/%s-worker-%s=%s" (include "farm.workerNamespace" $) (include "farm.name" $) .name (.farmPool | default .name)) }}
{{- end }}
{{- end }}
{{- join "," $accounts }}
{{- end }}

{{- define "farm.tlsEnv" -}}
- { name: FARM_TLS_CA, value: /etc/farm/tls/ca.crt }
- { name: FARM_TLS_CERT, value: /etc/farm/tls/tls.crt }
- { name: FARM_TLS_KEY, value: /etc/farm/tls/tls.key }
{{- end }}

{{/* Probes on the metrics port. Liveness never asks /readyz: an outage of the database restarts nothing. */}}
{{- define "farm.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{/* Pods of a role lie on several zones and machines where that is possible. */}}
{{- define "farm.spread" -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "farm.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}

{{/* Connections that a role may open, as docs/deployment.md counts them. */}}
{{- define "farm.connections" -}}
{{- $v := .Values }}
{{- if $v.control.enabled }}56{{ else }}
{{- $api := ternary $v.api.autoscaling.maxReplicas $v.api.replicas $v.api.autoscaling.enabled }}
{{- add (mul $api 23) (mul $v.scheduler.replicas 11) (mul $v.workflows.replicas 22) }}
{{- end }}
{{- end }}

{{/* Rules that one value alone cannot break; values.schema.json has the others. */}}
{{- define "farm.validate" -}}
{{- $v := .Values }}
{{- if gt (int (include "farm.connections" .)) (int $v.databaseConnections) }}
{{- fail (printf "databaseConnections must be at least %s: these replicas may open as many. Got %v" (include "farm.connections" .) $v.databaseConnections) }}
{{- end }}
{{- if and (not $v.scheduler.tlsSecret) (not $v.scheduler.plainText) }}
{{- fail "scheduler.tlsSecret must name certificates, or scheduler.plainText must be true. Got neither" }}
{{- end }}
{{- with $v.scheduler.enrolment }}
{{- if .enabled }}
{{- if not $v.scheduler.tlsSecret }}{{ fail "scheduler.enrolment needs scheduler.tlsSecret: certificates are no use in plain text" }}{{ end }}
{{- if not .secret }}{{ fail "scheduler.enrolment.secret must name the authority of `farm certs enrolment`" }}{{ end }}
{{- if not .ca }}{{ fail "scheduler.enrolment.ca must be the text of certs/ca.pem: pods know their schedulers by it" }}{{ end }}
{{- if eq (empty .jwks) (empty .jwksUrl) }}{{ fail "scheduler.enrolment must have one of jwks and jwksUrl: the keys that sign the cluster's tokens" }}{{ end }}
{{- end }}
{{- end }}
{{- if and $v.networkPolicies.enabled (not $v.networkPolicies.store) }}
{{- fail "networkPolicies.store must say where the object store is, or networkPolicies.enabled must be false" }}
{{- end }}
{{- $names := dict }}
{{- range $v.pools }}
{{- if hasKey $names .name }}{{ fail (printf "pools must have names of their own. Got %s twice" .name) }}{{ end }}
{{- $_ := set $names .name true }}
{{- if and .customCode (not $v.workers.userNamespaces) }}
{{- fail (printf "pools.%s.customCode needs workers.userNamespaces. Got false" .name) }}
{{- end }}
{{- if and .tlsSecret (gt (int .replicas) 1) }}
{{- fail (printf "pools.%s.replicas must be 1 with tlsSecret: a certificate names one node. Got %v" .name .replicas) }}
{{- end }}
{{- if and $v.scheduler.tlsSecret (not .tlsSecret) (not $v.scheduler.enrolment.enabled) }}
{{- fail (printf "pools.%s.tlsSecret must be set: the scheduler asks nodes for certificates. Or let them enrol (scheduler.enrolment)" .name) }}
{{- end }}
{{- end }}
{{- end }}
