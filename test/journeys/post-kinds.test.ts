import { describe, test, vi } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  listAccounts,
  publishedPosts,
  platformCalls,
  connectInBrowser,
  disconnect,
  type JourneyFile,
  createUniqueFile,
  useJourneyClock,
  runAlarmsUntilIdle,
  readPost,
  schedulePost,
  uploadFile,
} from "./journey-driver.ts";
import { type ExpectedPost, postKindsOf, revocationCallOf } from "./post-kinds.ts";

/* Every kind of post, from the login in the browser to the published post and the disconnect. */

useJourneyClock("2031-03-01T09:00:00Z");

describe.each(PLATFORMS)("%s", (platform) => {
  const kinds = postKindsOf(platform);

  test.for(kinds.map((kind) => [kind.name, kind] as const))("%s", { timeout: 30_000 }, async ([, kind], { expect }) => {
    const caption = kind.caption ?? `Journey: ${kind.name}, ${crypto.randomUUID()}`;
    await changeSettings(platform, kind.settings ?? {});
    const caller = await createCaller();
    const { accounts, lastPage } = await connectInBrowser(caller, platform, kind.login);
    expect(lastPage).toContain("is connected");
    const account = accounts.find(
      ({ display_name }) => kind.accountName === undefined || display_name === kind.accountName,
    )!;
    expect(account).toMatchObject({ platform, status: "active" });

    const files = await Promise.all(kind.files.map(createUniqueFile));
    const media_items = [];
    for (const file of files) {
      media_items.push(await uploadFile(caller, file));
    }
    const before = await publishedPosts(platform);
    const { post, preview } = await schedulePost(caller, {
      caption,
      media_items,
      targets: [{ account_id: account.id, platform_options: kind.options ?? {} }],
    });
    expect(preview.targets).toMatchObject([{ effective_caption: caption, platform_options: kind.effectiveOptions }]);
    expect(post).toMatchObject({ status: "scheduled", plan_hash: preview.plan_hash });
    expect(post.media_items.map((item) => item.sha256)).toEqual(files.map((file) => file.sha256));

    await runAlarmsUntilIdle([post]);
    const newPosts = (await publishedPosts(platform)).slice(before.length);
    const actual = newPosts.map((entry) => ({ ...entry, media: entry.media.map((item) => item.sha256) }));
    expect(actual).toMatchObject(
      kind.published.map((expected) => toExpectedPost(expected, caption, account.platform_account_id, files)),
    );
    expect(newPosts.filter((entry) => entry.accepted_at < post.scheduled_at)).toEqual([]);

    const [first] = newPosts;
    const published = await readPost(caller, post.id);
    expect(published.targets[0]?.error).toBeNull();
    expect(published).toMatchObject({
      status: "published",
      targets: [
        {
          status: "published",
          error: null,
          platform_post_id: kind.withoutPostId === undefined ? first?.id : first?.options["publish_id"],
          platform_post_url:
            kind.withoutPostId === "draft"
              ? null
              : kind.withoutPostId === undefined
                ? first?.url
                : first?.url.replace(/\/video\/.*$/, ""),
        },
      ],
    });
    expect(published.targets[0]!.started_at! >= post.scheduled_at).toBe(true);

    const since = Date.now();
    for (const { id } of accounts) {
      await disconnect(caller, id);
    }
    expect(await listAccounts(caller, platform)).toEqual([]);
    const revocationCall = revocationCallOf(platform);
    if (revocationCall) {
      await vi.waitFor(async () => {
        const calls = await platformCalls(platform, since);
        const statuses = calls
          .filter((call) => revocationCall.test(`${call.method} ${call.path}`))
          .map((call) => call.status);
        // A server may demand a nonce first (RFC 9449, section 8), so only the last answer counts.
        expect(statuses.at(-1)).toBe(200);
      });
    }
  });
});

/** The expected published post; options that it does not name may have any value. */
function toExpectedPost(expected: ExpectedPost, caption: string, account: string, files: readonly JourneyFile[]) {
  return {
    account,
    ...(expected.kind !== undefined && { kind: expected.kind }),
    text: expected.text ?? caption,
    title: expected.title ?? null,
    media: (expected.media ?? [...files.keys()]).map((index) => files[index]?.sha256),
    options: expected.options,
  };
}
