import type { CloudflareApi } from "./cloudflare.ts";

interface Binding {
  readonly type: string;
  readonly name: string;
  readonly text?: string;
}

/** The Worker as it runs now. */
export interface RunningWorker {
  readonly secretNames: ReadonlySet<string>;
  readonly vars: ReadonlyMap<string, string>;
  /** What changed it last, in Cloudflare's words: `wrangler`, `dash` or `api`. */
  readonly changedBy: string;
  /** Of the latest deployment; null when nothing could be rolled back to. */
  readonly versionId: string | null;
  /** When the latest deployment was made. */
  readonly deployedAt: number | null;
}

interface Service {
  readonly default_environment: { readonly script: { readonly last_deployed_from?: string } };
}

interface Deployments {
  readonly deployments: readonly {
    readonly created_on?: string;
    readonly versions: readonly { readonly version_id: string; readonly percentage: number }[];
  }[];
}

/** Null where there is no such Worker yet. Values of secrets cannot be read, only their names. */
export async function readRunningWorker(
  api: CloudflareApi,
  accountId: string,
  name: string,
): Promise<RunningWorker | null> {
  const path = `/accounts/${accountId}/workers/scripts/${name}`;
  const secrets = await api.find<{ name: string }[]>(`${path}/secrets`);
  if (secrets === null) {
    return null;
  }
  const { bindings } = await api.get<{ bindings: readonly Binding[] }>(`${path}/settings`);
  const service = await api.get<Service>(`/accounts/${accountId}/workers/services/${name}`);
  const { deployments } = await api.get<Deployments>(`${path}/deployments`);
  return {
    secretNames: new Set(secrets.map((secret) => secret.name)),
    vars: new Map(
      bindings.filter(({ type }) => type === "plain_text").map((binding) => [binding.name, binding.text ?? ""]),
    ),
    changedBy: service.default_environment.script.last_deployed_from ?? "wrangler",
    versionId: deployments[0]?.versions[0]?.version_id ?? null,
    deployedAt: deployments[0]?.created_on === undefined ? null : Date.parse(deployments[0].created_on),
  };
}
