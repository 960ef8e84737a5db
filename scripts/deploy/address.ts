import { ApiFailure, type CloudflareApi } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";

interface Zone {
  readonly id: string;
  readonly name: string;
}

async function findZone(api: CloudflareApi, accountId: string, domain: string): Promise<Zone> {
  const labels = domain.split(".");
  for (let from = 0; from < labels.length - 1; from += 1) {
    const name = labels.slice(from).join(".");
    const [zone] = await api.list<Zone>("/zones", { name, "account.id": accountId });
    if (zone !== undefined) {
      return zone;
    }
  }
  throw new DeployFailure(
    `no zone of this account contains ${domain}`,
    "add the domain to the account (https://dash.cloudflare.com, Add a domain), or leave DOMAIN out for a workers.dev address",
  );
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Whether a route like `*.example.com/api/*` takes requests of the domain. */
function routeCovers(pattern: string, domain: string): boolean {
  const host = pattern.replace(/^https?:\/\//, "").split("/", 1)[0] ?? "";
  return new RegExp(`^${escapeRegExp(host).replaceAll("*", ".*")}$`).test(domain);
}

function inUse(domain: string, by: string): DeployFailure {
  return new DeployFailure(
    `${domain} is in use: ${by}`,
    "choose another DOMAIN, or remove that in the dashboard first if it is no longer needed; nothing was changed",
  );
}

/** Without a terminal, wrangler overwrites the DNS records of a domain, so only the Worker's own record may exist there. */
async function assertDomainIsFree(
  api: CloudflareApi,
  accountId: string,
  domain: string,
  workerName: string,
): Promise<void> {
  const attached = await api.get<{ hostname: string; service: string }[]>(`/accounts/${accountId}/workers/domains`, {
    hostname: domain,
  });
  const other = attached.find(({ hostname, service }) => hostname === domain && service !== workerName);
  if (other !== undefined) {
    throw inUse(domain, `it belongs to the Worker ${other.service}`);
  }
  const zone = await findZone(api, accountId, domain);
  const routes = await api.get<{ pattern: string; script?: string }[]>(`/zones/${zone.id}/workers/routes`);
  const route = routes.find(({ pattern, script }) => script !== workerName && routeCovers(pattern, domain));
  if (route !== undefined) {
    throw inUse(domain, `the route ${route.pattern} leads to ${route.script ?? "no Worker"}`);
  }
  if (attached.some(({ hostname }) => hostname === domain)) {
    return;
  }
  const records = await api.list<{ type: string; name: string; content: string }>(`/zones/${zone.id}/dns_records`, {
    name: domain,
  });
  const record = records.find(({ type }) => ["A", "AAAA", "CNAME"].includes(type));
  if (record !== undefined) {
    throw inUse(domain, `its DNS record ${record.type} says ${record.content}`);
  }
}

async function workersDevOrigin(api: CloudflareApi, accountId: string, workerName: string): Promise<string> {
  try {
    const { subdomain } = await api.get<{ subdomain: string }>(`/accounts/${accountId}/workers/subdomain`);
    return `https://${workerName}.${subdomain}.workers.dev`;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) {
      throw new DeployFailure(
        "the account has no workers.dev subdomain yet",
        `choose one at https://dash.cloudflare.com/${accountId}/workers/onboarding, or set DOMAIN; then run the command again`,
      );
    }
    throw error;
  }
}

interface AddressInput {
  readonly accountId: string;
  readonly domain: string | undefined;
  readonly workerName: string;
  /** Of the Worker that runs now. */
  readonly runningOrigin: string | undefined;
  readonly mayChange: boolean;
}

/** The origin of the service. Refuses one that is somebody else's, and a new one unless the operator says so. */
export async function decideOrigin(api: CloudflareApi, input: AddressInput): Promise<string> {
  const { accountId, domain, workerName, runningOrigin, mayChange } = input;
  const origin = domain === undefined ? await workersDevOrigin(api, accountId, workerName) : `https://${domain}`;
  if (runningOrigin !== undefined && runningOrigin !== origin && !mayChange) {
    throw new DeployFailure(
      `the service runs at ${runningOrigin}, and these settings would move it to ${origin}`,
      "correct DOMAIN or WORKER_NAME; or add --new-origin: then every platform needs its new redirect URI, and passkeys, connected apps and signed addresses of the old one stop working",
    );
  }
  if (domain !== undefined) {
    await assertDomainIsFree(api, accountId, domain, workerName);
  }
  return origin;
}
