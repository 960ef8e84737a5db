import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, test, vi } from "vitest";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { createService } from "#service.ts";
import {
  publishedPosts,
  connectInBrowser,
  createUniqueFile,
  runAlarmsUntilIdle,
  readPost,
  waitUntilArmed,
} from "../journeys/journey-driver.ts";
import { callApi } from "../support/call-api.ts";
import { ORIGIN } from "../support/origin.ts";
import { createCaller, type ApiCaller } from "../support/create-caller.ts";
import { FakeInternet } from "./test-context.ts";

const SOURCE = "https://files.example.net/portrait.jpg";

afterEach(() => {
  vi.useRealTimers();
});

/** Previews a post with the real service and a fake internet; returns the confirmation token. */
async function preview(caller: ApiCaller, internet: FakeInternet, body: object): Promise<string> {
  const service = createService((given) => ({ ...sandboxOutbound(given), publicFetch: internet.fetch }));
  const ctx = createExecutionContext();
  const request = new Request(`${ORIGIN}/v1/posts/preview`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await service.fetch(request, withSandboxCredentials(env), ctx);
  const { confirmation_token: token, error } = await answer.json<{ confirmation_token?: string; error?: string }>();
  await waitOnExecutionContext(ctx);
  if (token === undefined) {
    throw new Error(`the preview answered ${answer.status}: ${error}`);
  }
  return token;
}

test(
  "a source that is removed after the preview changes nothing: the previewed file is published from our copy",
  { timeout: 30_000 },
  async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2035-05-01T09:00:00Z") });
    const caller = await createCaller();
    const file = await createUniqueFile("portrait.jpg");
    const internet = new FakeInternet();
    internet.set(SOURCE, file.bytes);
    // X receives an upload of the file, Instagram fetches its URL.
    const platforms = ["x", "instagram"] as const;
    const accounts = [];
    for (const platform of platforms) {
      accounts.push((await connectInBrowser(caller, platform)).accounts[0]!.id);
    }
    const token = await preview(caller, internet, {
      caption: "Out of the kiln",
      scheduled_at: toIsoInstant(Date.now() + HOUR),
      account_ids: accounts,
      media_urls: [SOURCE],
    });
    expect(internet.requests).toEqual([SOURCE]);
    internet.set(SOURCE, () => new Response("gone", { status: 410 }));

    const confirmed = await callApi(caller, {
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: token },
    });
    const [post] = confirmed.body.posts;
    await waitUntilArmed(post.id);
    await runAlarmsUntilIdle([post]);
    expect((await readPost(caller, post.id)).status).toBe("published");
    for (const platform of platforms) {
      expect((await publishedPosts(platform)).at(-1), platform).toMatchObject({
        text: "Out of the kiln",
        media: [{ type: "image", sha256: file.sha256 }],
      });
    }
    expect(internet.requests).toEqual([SOURCE]);
  },
);
