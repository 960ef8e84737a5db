import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/*
 * Configurations of workerd, made from the one that Miniflare writes for a Worker: the Worker alone, whose bindings of D1, KV, R2 and
 * rate limits are Unix sockets, and the local versions of these bindings behind the sockets. So the process of the Worker contains
 * what also runs at Cloudflare's, and nothing of the local databases.
 */

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = Readonly<Record<string, Json>>;

type Service = JsonObject & { readonly name: string };

/** The configuration that Miniflare writes because of `MINIFLARE_WORKERD_CONFIG_DEBUG`. */
export interface MiniflareConfig {
  readonly services: readonly Service[];
  readonly extensions: Json;
}

/** A module of the Worker, as the configuration names it. */
export interface WorkerModule {
  readonly name: string;
  readonly esModule?: string;
  readonly text?: string;
  /** Data, only in the sandbox. They are not written into a configuration. */
  readonly data?: Uint8Array;
}

const WORKER = "core:user:almanac";
/** The names of services that only Miniflare's own proxy and its pages use. */
const UNUSED = /^(core:entry|MINIFLARE_DEV_CONTROL|r2:public|email:.*|cache:.*)$/;
/** The names of services that are local versions of a binding. Each gets its namespace as a property. */
const LOCAL_BINDING = /^(d1:db|kv:ns|r2:bucket|ratelimit:ns):entry$/;
/** The host of requests that carry calls between processes which are no HTTP requests. */
const CAPNP_HOST = "bench-capnp";
/** The length above which a string becomes a file beside the configuration. */
const LONG_STRING = 500;

export interface ConfigFiles {
  readonly worker: string;
  readonly bindings: string;
  /** The configuration with the Worker and its bindings in one process. */
  readonly whole: string;
  readonly workerSocket: string;
  readonly bindingSockets: readonly string[];
}

export async function writeConfigs(
  directory: string,
  config: MiniflareConfig,
  { modules, v8Flags }: { readonly modules: readonly WorkerModule[]; readonly v8Flags: readonly string[] },
): Promise<ConfigFiles> {
  await mkdir(directory, { recursive: true });
  const services: readonly Service[] = config.services
    .filter(({ name }) => !UNUSED.test(name))
    .map((service) =>
      service.name === "loopback" ? { ...service, external: { address: "127.0.0.1:9", http: {} } } : service,
    );
  const found = services.find(({ name }) => name === WORKER);
  if (found === undefined) {
    throw new Error("Miniflare's configuration has no Worker");
  }
  const { cacheApiOutbound: _, containerEngine: __, ...settings } = found["worker"] as JsonObject;
  const worker = { ...found, worker: { ...settings, modules: modules as unknown as Json } };
  const locals = new Map<string, { readonly designator: JsonObject; readonly socket: string }>();
  const splitWorker = mapObjects(worker, (designator) => {
    if (typeof designator["name"] !== "string" || !LOCAL_BINDING.test(designator["name"])) {
      return designator;
    }
    const key = JSON.stringify(designator);
    const socket = locals.get(key)?.socket ?? join(directory, `binding-${locals.size}`);
    locals.set(key, { designator, socket });
    return { name: socket };
  });
  const workerSocket = join(directory, "worker");
  const others = services.filter((service) => service !== found);
  const workerServices = others.filter(({ name }) => /^(outbound:|loopback$|internet$|do:storage$)/.test(name));
  const common = { extensions: config.extensions, v8Flags };
  const http = { capnpConnectHost: CAPNP_HOST };
  const sockets = [{ name: "worker", address: `unix:${workerSocket}`, service: { name: WORKER }, http: {} }];
  const file = async (name: string, content: JsonObject): Promise<string> => {
    const path = join(directory, `${name}.capnp`);
    const strings: string[] = [];
    const text = capnpText(content, (long) => `embed ${JSON.stringify(`${name}.${strings.push(long)}`)}`);
    await Promise.all(strings.map((long, index) => writeFile(join(directory, `${name}.${index + 1}`), long)));
    await writeFile(
      path,
      `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${text};\n`,
    );
    return path;
  };
  const external = [...locals.values()].map(({ socket }) => ({
    name: socket,
    external: { address: `unix:${socket}`, http },
  }));
  return {
    worker: await file("worker", { ...common, services: [splitWorker, ...workerServices, ...external], sockets }),
    bindings: await file("bindings", {
      extensions: config.extensions,
      services: others,
      sockets: [...locals.values()].map(({ designator, socket }, index) => ({
        name: String(index),
        address: `unix:${socket}`,
        service: designator,
        http,
      })),
    }),
    whole: await file("whole", { ...common, services: [worker, ...others], sockets }),
    workerSocket,
    bindingSockets: [...locals.values()].map(({ socket }) => socket),
  };
}

function mapObjects(value: Json, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) {
    return value.map((member: Json) => mapObjects(member, change));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = Object.entries(value).map(([name, member]) => [name, mapObjects(member, change)] as const);
  return change(Object.fromEntries(members));
}

/** The value in the text form of Cap'n Proto. */
function capnpText(value: Json, longString: (text: string) => string): string {
  if (typeof value === "string") {
    return value.length > LONG_STRING
      ? longString(value)
      : JSON.stringify(value).replaceAll(/\\u00([0-9a-f]{2})/g, String.raw`\x$1`);
  }
  if (Array.isArray(value)) {
    return `[${value.map((member: Json) => capnpText(member, longString)).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${name} = ${capnpText(member, longString)}`);
    return `(${members.join(", ")})`;
  }
  return value === null ? "void" : String(value);
}
