import { env } from "cloudflare:workers";
import { type Context, createServices, type Outbound } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { type Plan, PLAN_LIMITS } from "#core/plan.ts";
import { RefusalError, type Refusal } from "#core/errors.ts";
import { SCOPES } from "#core/scope.ts";
import { inspectFile } from "#media/formats/inspect-file.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";

type CannedResponse = Response | (() => Response | Promise<Response>);

/** A fake public internet: canned responses by URL, and a record of every request. */
export class FakeInternet {
  readonly requests: string[] = [];
  private readonly responses = new Map<string, CannedResponse>();

  set(url: string, answer: CannedResponse | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): string {
    this.responses.set(
      url,
      answer instanceof Uint8Array
        ? () => new Response(answer, { headers: { "content-length": String(answer.length), ...headers } })
        : answer,
    );
    return url;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    this.requests.push(request.url);
    const answer = this.responses.get(request.url);
    if (!answer) {
      return new Response("nothing here", { status: 404 });
    }
    return typeof answer === "function" ? answer() : answer;
  };
}

export interface TestContext extends Context {
  readonly internet: FakeInternet;
  /** Resolves when all work deferred until after the response is done. */
  deferredWork(): Promise<unknown>;
}

/** A context with a new user and workspace. */
export function createTestContext(
  options: { plan?: Plan; settings?: Record<string, string>; internet?: FakeInternet; trusted?: string } = {},
): TestContext {
  const internet = options.internet ?? new FakeInternet();
  const deferred: Promise<unknown>[] = [];
  const outbound: Outbound = {
    platformFetch: () => Promise.reject(new TypeError("no platforms here")),
    publicFetch: internet.fetch,
    browserUrl: (url) => url,
    trustedMediaOrigin: options.trusted ?? null,
  };
  const services = createServices({ ...env, ...options.settings }, outbound, (work) => deferred.push(work));
  const actor: Actor = {
    userId: crypto.randomUUID(),
    workspaceId: crypto.randomUUID(),
    plan: options.plan ?? "scale",
    limits: PLAN_LIMITS[options.plan ?? "scale"],
    subscribed: true,
    scopes: SCOPES,
    credential: { kind: "api_key", id: "test", name: "test", confirms: "self" },
    via: "api",
    timeZone: "UTC",
    recordsEvents: false,
    workspaceFrom: "user",
    isTrial: false,
  };
  return { ...services, actor, internet, deferredWork: () => Promise.all(deferred.splice(0)) };
}

/** The refusal of a use case; throws when it did not refuse. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal;
    }
    throw error;
  }
  throw new Error("expected a refusal");
}

export function inspectBytes(bytes: Uint8Array<ArrayBuffer>) {
  return inspectFile(new ByteReader(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length)));
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The keys of all stored objects with a prefix. */
export async function storedKeys(prefix: string): Promise<string[]> {
  return (await env.MEDIA.list({ prefix })).objects.map(({ key }) => key);
}
