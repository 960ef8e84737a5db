import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Fault, FaultCode, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import { type InstanceResponse, InstanceResponse as InstanceSchema } from "./answers.ts";
import { type Server, accountServer, callServer, serverUrl } from "./api.ts";
import { toFault } from "./errors.ts";
import { type TypedServer, parseServer } from "./hosts.ts";

/** What a Mastodon server says about itself. */
interface Instance {
  readonly host: string;
  /** The domain in the server's handles, which may differ from the host of its API. */
  readonly domain: string;
  readonly isMastodon: boolean;
  /** Whether the server has the scope `profile`, which exists since version 4.3, for reading who logged in. */
  readonly hasProfileScope: boolean;
  readonly capabilities: JsonObject;
}

/** Finds the server that a user entered. The host of its API may differ from the domain of its handles. */
export async function discoverInstance(
  client: PlatformClient,
  typed: TypedServer,
): Promise<Result<Instance, FaultCode>> {
  const at = (host: string): Server => ({ host, token: null });
  const first = await lookUp(client, at(typed.host));
  if (first.state === "failed" && isUnreachable(first.fault)) {
    return failed(noServer(typed.host, first.fault));
  }
  if (first.state !== "unknown") {
    return toResult(first);
  }
  const apiHost = redirectedHost(first.response) ?? (await findApiHost(client, typed, at(typed.host)));
  const second = apiHost === null || apiHost === typed.host ? first : await lookUp(client, at(apiHost));
  return second.state === "unknown" ? failed(notAServer(typed.host, second.response)) : toResult(second);
}

export async function readInstance(client: PlatformClient, server: Server): Promise<Result<Instance>> {
  const lookup = await lookUp(client, server);
  return lookup.state === "unknown"
    ? failed(temporary("The server did not describe itself as expected.", { httpStatus: lookup.response.status }))
    : toResult(lookup);
}

/** Reads the present limits of the account's server. */
export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const instance = await readInstance(client, accountServer(account));
  return instance.ok ? succeeded({ ...account.capabilities, ...instance.value.capabilities }) : instance;
}

/** The outcome of a lookup. `unknown`: the host answers, but not as a server with Mastodon's API. */
type Lookup =
  | { readonly state: "found"; readonly instance: Instance }
  | { readonly state: "failed"; readonly fault: Fault }
  | { readonly state: "unknown"; readonly response: PlatformResponse };

function toResult(lookup: Exclude<Lookup, { state: "unknown" }>): Result<Instance> {
  return lookup.state === "found" ? succeeded(lookup.instance) : failed(lookup.fault);
}

function fetchFrom(client: PlatformClient, server: Server, path: string | URL): Promise<Result<PlatformResponse>> {
  return catchConnectionErrors(async () => succeeded(await callServer(client, server, path)));
}

async function lookUp(client: PlatformClient, server: Server): Promise<Lookup> {
  const current = await fetchFrom(client, server, "/api/v2/instance");
  if (!current.ok) {
    return { state: "failed", fault: current.fault };
  }
  const { value: response } = current;
  const older = response.status === 404 ? await fetchFrom(client, server, "/api/v1/instance") : current;
  const answer = older.ok && isOk(older.value) ? parseBody(InstanceSchema, older.value) : undefined;
  if (answer) {
    return { state: "found", instance: describeInstance(server.host, answer) };
  }
  return [401, 403, 429].includes(response.status) || response.status >= 500
    ? { state: "failed", fault: toFault(response, null) }
    : { state: "unknown", response };
}

/**
 * The status that a Worker gets for a host name that DNS does not know
 * (https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1016/).
 */
const DNS_FAILED_STATUS = 530;

const isUnreachable = ({ kind, httpStatus }: Fault): boolean =>
  kind === "temporary" && (httpStatus === null || httpStatus === DNS_FAILED_STATUS);

/**
 * The fault if no server answers. It asks for the spelling, because a misspelt name is more likely than a server that
 * is down now.
 */
function noServer(host: string, { httpStatus }: Fault): Fault {
  return temporary(
    `No Mastodon server answers at ${host}. Check the spelling first; if it is right, the server may be down now.`,
    { httpStatus },
  );
}

function notAServer(host: string, response: PlatformResponse): Fault<FaultCode> {
  return rejected(
    `${host} is not a Mastodon server. Check the name of the server.`,
    { httpStatus: response.status },
    { code: "login_refused", category: "auth" },
  );
}

function redirectedHost(response: PlatformResponse): string | null {
  const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
  return location?.startsWith("https://") ? (parseServer(location)?.host ?? null) : null;
}

/**
 * Finds the API's host by the redirect of one address. Servers whose handles have another domain redirect it (docs:
 * admin/config, `WEB_DOMAIN`).
 */
async function findApiHost(client: PlatformClient, typed: TypedServer, server: Server): Promise<string | null> {
  const resource = `acct:${typed.user ?? typed.host}@${typed.host}`;
  const response = await fetchFrom(
    client,
    server,
    withQuery(serverUrl(server, "/.well-known/webfinger"), { resource }),
  );
  return response.ok ? redirectedHost(response.value) : null;
}

const VERSION = /^v?(\d+)\.(\d+)/;

/**
 * Reads a server's description. Other programs with this API name the Mastodon version that they are compatible with
 * before their own version.
 */
function describeInstance(host: string, instance: InstanceResponse): Instance {
  const [, major = 0, minor = 0] = (VERSION.exec(instance.version) ?? []).map(Number);
  const apiVersion = instance.api_versions?.mastodon ?? null;
  const isMastodon = !/compatible/i.test(instance.version) && (apiVersion !== null || major >= 4);
  const { statuses, media_attachments: media } = instance.configuration ?? {};
  return {
    host,
    domain: parseServer(instance.domain ?? instance.uri ?? "")?.host ?? host,
    isMastodon,
    hasProfileScope: isMastodon && (apiVersion !== null || major > 4 || (major === 4 && minor >= 3)),
    capabilities: {
      software: isMastodon ? "mastodon" : "other",
      version: instance.version,
      maxCharacters: statuses?.max_characters ?? instance.max_toot_chars ?? null,
      urlCharacters: statuses?.characters_reserved_per_url ?? null,
      maxMedia: statuses?.max_media_attachments ?? null,
      contentTypes: media?.supported_mime_types ?? null,
      imageSizeLimit: media?.image_size_limit ?? null,
      videoSizeLimit: media?.video_size_limit ?? null,
      imagePixels: media?.image_matrix_limit ?? null,
      videoPixels: media?.video_matrix_limit ?? null,
      frameRate: media?.video_frame_rate_limit ?? null,
      descriptionLimit: media?.description_limit ?? null,
    },
  };
}
