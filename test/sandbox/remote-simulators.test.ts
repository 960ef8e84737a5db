import { userAgent } from "#core/user-agent.ts";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, test, vi } from "vitest";
import { handleSimulatorRequest, sandboxOutbound } from "#sandbox/index.ts";
import { secretValues } from "#sandbox/secret-values.ts";
import { injectFault, postJson, publishedPosts } from "./sandbox-api.ts";
import { requestTokens } from "./x-client.ts";

/* A service whose simulators are another worker: what it sends over HTTP is answered by that worker's own handler here. */

const SIMULATORS_ORIGIN = "http://localhost:8788";
const remoteEnv = { ...env, SIMULATORS_ORIGIN };

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Routes fetches to the other worker; returns the URLs that were called. */
function connectSimulators(workerEnv: typeof env = env): string[] {
  const urls: string[] = [];
  const handle = handleSimulatorRequest();
  vi.stubGlobal("fetch", async (request: Request) => {
    urls.push(request.url);
    const ctx = createExecutionContext();
    const response = await handle(request, { ...workerEnv, ORIGIN: SIMULATORS_ORIGIN }, ctx);
    const body = await response.arrayBuffer();
    await waitOnExecutionContext(ctx);
    return new Response(body.byteLength === 0 ? null : body, response);
  });
  return urls;
}

function createPost(accessToken: string, text: string, signal?: AbortSignal): Promise<Response> {
  return sandboxOutbound(remoteEnv).platformFetch(
    new Request("https://api.x.com/2/tweets", {
      method: "POST",
      headers: {
        authorization: `Bearer ${accessToken}`,
        "content-type": "application/json",
        "user-agent": userAgent(env.ORIGIN),
      },
      body: JSON.stringify({ text }),
      ...(signal && { signal }),
    }),
  );
}

test("a call goes to the simulators' worker with its method, headers and body", async ({ expect }) => {
  const { access_token } = await requestTokens("ada");
  const urls = connectSimulators();
  const response = await createPost(access_token, "from another process");
  expect(response.status).toBe(201);
  // Without the platform's address, in which some platforms want a token: logs contain the path.
  expect(urls).toEqual([`${SIMULATORS_ORIGIN}/calls`]);
  expect((await publishedPosts("x", "ada")).map(({ text }) => text)).toContain("from another process");
});

test("a lost connection is a failed fetch there too", async ({ expect }) => {
  const { access_token } = await requestTokens("ada");
  connectSimulators();
  await injectFault("x", { match: { path: "/2/tweets" }, effect: "drop_after" });
  await expect(createPost(access_token, "accepted, and the response lost")).rejects.toThrow(TypeError);
  expect((await publishedPosts("x", "ada")).map(({ text }) => text)).toContain("accepted, and the response lost");
});

test("an adapter's timeout does not stop what the platform has received", async ({ expect }) => {
  const { access_token } = await requestTokens("ada");
  connectSimulators();
  await injectFault("x", { match: { path: "/2/tweets" }, effect: "delay", delay_ms: 1000 });
  await expect(createPost(access_token, "accepted too late", AbortSignal.timeout(50))).rejects.toThrow();
  await expect
    .poll(async () => (await publishedPosts("x", "ada")).map(({ text }) => text), { timeout: 10_000 })
    .toContain("accepted too late");
});

test("a post says when its call arrived, which is before all that it waits for there", async ({ expect }) => {
  const { access_token } = await requestTokens("ada");
  connectSimulators();
  await injectFault("x", { match: { path: "/2/tweets" }, effect: "delay", delay_ms: 300 });
  const sentAt = Date.now();
  expect((await createPost(access_token, "received, then accepted")).status).toBe(201);
  const post = (await publishedPosts("x", "ada")).find(({ text }) => text === "received, then accepted")!;
  const receivedAt = Date.parse(post.received_at!);
  expect(receivedAt).toBeGreaterThanOrEqual(sentAt);
  expect(Date.parse(post.accepted_at) - receivedAt).toBeGreaterThanOrEqual(300);
});

test("the worker of the simulators has none of the service's routes", async ({ expect }) => {
  connectSimulators();
  for (const path of ["/sandbox/users", "/sandbox/cron", "/v1/platforms", "/calls"]) {
    for (const address of ["https://unknown.example/", "nonsense"]) {
      const request = new Request(SIMULATORS_ORIGIN + path, {
        method: "POST",
        headers: { "x-simulated-url": address },
      });
      expect((await fetch(request)).status, path).toBe(404);
    }
  }
  expect((await fetch(new Request(`${SIMULATORS_ORIGIN}/sandbox/platforms`))).status).toBe(200);
});

test("simulators elsewhere than on this machine are refused", ({ expect }) => {
  const outbound = sandboxOutbound({ ...env, SIMULATORS_ORIGIN: "https://simulators.example.org" });
  return expect(outbound.platformFetch(new Request("https://api.x.com/2/tweets"))).rejects.toThrow(/SIMULATORS_ORIGIN/);
});

test("secrets are found by the name of their member, in URLs and at any depth", ({ expect }) => {
  const secret = "s3cret".repeat(4);
  expect(
    secretValues({ data: [{ access_token: secret }], url: `https://x.com/?state=${secret}1&scope=${secret}2` }),
  ).toEqual([secret, `${secret}1`]);
  expect(
    secretValues({
      error_code: "token_already_used",
      code_challenge: secret,
      token_description: "words with spaces, long",
      caption: secret,
    }),
  ).toEqual([]);
});

test("secrets are only recorded where the worker says so", async ({ expect }) => {
  await requestTokens("ada");
  expect((await postJson("/sandbox/platforms/x/settings", {})).ok).toBe(true);
  connectSimulators();
  const { secrets } = await (
    await fetch(new Request(`${SIMULATORS_ORIGIN}/sandbox/platforms/x/secrets`))
  ).json<{ secrets: string[] }>();
  expect(secrets).toEqual([]);
});
