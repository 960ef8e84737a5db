import type { TargetAccount } from "#accounts/index.ts";
import { captionFor } from "#platforms/mentions.ts";
import { PostLikeness } from "#dashboard/likeness/post-likeness.tsx";
import type { MediaItem } from "#posts/index.ts";
import type { TargetInput } from "#planning/index.ts";
import { ownMediaOf } from "#dashboard/post-form/account-extras.ts";
import { captionCount, charactersLeft, partCounts } from "./caption-count.ts";
import type { ComposerView } from "./composer-view.ts";
import { fileToCome, mediaUrlsOf } from "#dashboard/post-form/post-form.ts";
import { mediaTypesOf } from "#dashboard/post-form/read-options.ts";
import { toScheduleInput } from "#dashboard/post-form/read-post-form.ts";

/* Shows how the post will look on an account when the page opens. The script's check gives the same result, so that
   nothing moves when it arrives. */

/** The form's values for each chosen and connected account. */
export function targetsOf({ services, form, data, display }: ComposerView): ReadonlyMap<string, TargetInput> {
  const platforms = new Map(data.accounts.map(({ id, platform }) => [id, platform]));
  const { targets = [] } = toScheduleInput(services, form, platforms, display).input;
  return new Map(targets.map((target) => [target.accountId, target]));
}

/**
 * An account's text length and the appearance of the post there. Null if its platform is not set up on this
 * installation.
 */
export function describeAccount(view: ComposerView, account: TargetAccount, target: TargetInput | undefined) {
  const { services, form } = view;
  const { platform, username, capabilities } = account;
  const adapter = services.adapterFor(platform);
  const app = services.config.app(platform);
  if (!adapter || app === null) {
    return null;
  }
  const media = mediaOf(view, account.id);
  const caption = captionFor(adapter, target?.caption ?? form.caption);
  const result = adapter.validate({
    caption,
    postType: media.length === 0 ? "text" : media.some(({ type }) => type === "video") ? "video" : "image",
    media: media.map((item) => ({ facts: {}, ...item })),
    options: target?.platformOptions ?? {},
    account: { username, capabilities },
    settings: app.settings,
  });
  return {
    count: captionCount(services, { platform, ...result }),
    left: charactersLeft(result),
    parts: partCounts(result),
    isTooLong: result.captionLength > result.captionLimit,
    likeness: (
      <PostLikeness
        platform={platform}
        username={username}
        displayName={account.displayName}
        caption={caption}
        options={result.options}
        media={media}
        placement={result.placement}
      />
    ),
  };
}

/**
 * The media that the form gives an account. Media from other addresses are not fetched for this, and have an empty id.
 */
function mediaOf({ data, form }: ComposerView, accountId: string): readonly MediaItem[] {
  const own = ownMediaOf(form, accountId);
  const urls = mediaUrlsOf(form).filter((url) => fileToCome(url) === null);
  const files = own ?? urls.map((url) => ({ url, type: mediaTypesOf([url])?.[0] ?? null }));
  return files.map(
    ({ url, type }) =>
      data.media.get(url) ??
      data.post?.mediaItems.find((item) => item.url === url) ?? {
        id: "",
        url,
        type: type ?? "image",
        contentType: "",
        sizeBytes: 0,
        width: null,
        height: null,
        durationSeconds: null,
        sha256: "",
      },
  );
}
