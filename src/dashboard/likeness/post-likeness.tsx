import type { FC } from "hono/jsx";
import type { JsonObject } from "#core/json.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import type { LinkCard, PostAppearance, ShownDocument } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { threadCaptions } from "#platforms/thread.ts";
import { type MediaItem, storedThreadMedia } from "#posts/index.ts";
import { findCut, splitAtMarks } from "./cut-text.ts";
import { LikenessMedia } from "./likeness-media.tsx";

interface LikenessProps {
  readonly platform: Platform;
  readonly username: string;
  readonly displayName?: string | null | undefined;
  readonly avatarUrl?: string | null | undefined;
  /** The caption that this account publishes. */
  readonly caption: string;
  /** The options of the account, with defaults where they are known. Invalid options are ignored. */
  readonly options: JsonObject;
  /**
   * The media of the account. An empty id means that the file is not stored; the page then does not load its address.
   */
  readonly media: readonly MediaItem[];
  readonly placement: string | null;
}

const Author: FC<
  Pick<LikenessProps, "platform" | "username" | "displayName" | "avatarUrl"> & { format: string | null }
> = (props) => {
  const { platform, username, displayName, avatarUrl, format } = props;
  const name = displayName || username;
  return (
    <div class="likeness-author">
      {avatarUrl ? (
        <img class="likeness-avatar" src={avatarUrl} alt="" loading="lazy" referrerpolicy="no-referrer" />
      ) : (
        <span class="likeness-avatar" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      <span class="likeness-name">
        <b>{name}</b>
        {name !== username && <span class="likeness-muted">{username}</span>}
      </span>
      {format !== null && <span class="tag">{format}</span>}
      <PlatformBadge platform={platform} isDecorative />
    </div>
  );
};

const Text: FC<{ look: PostAppearance; range: readonly [number, number] }> = ({ look, range }) => (
  <>
    {splitAtMarks(look.text, look.marks, range).map(({ text, isMarked }) =>
      isMarked ? <span class="likeness-mark">{text}</span> : text,
    )}
  </>
);

/** The caption up to where the feed cuts it. The platform's own link, such as "… more", shows the rest. */
const Caption: FC<{ look: PostAppearance }> = ({ look }) => {
  if (look.text === "") {
    return null;
  }
  const end = findCut(look.text, look.cut);
  return (
    <div class="likeness-text">
      <Text look={look} range={[0, end]} />
      {end < look.text.length && (
        <details>
          <summary>{`… ${look.cut?.label ?? "more"}`}</summary>
          <Text look={look} range={[end, look.text.length]} />
        </details>
      )}
    </div>
  );
};

/** A further part of a thread, shown as a post below the previous part. */
const PartLikeness: FC<LikenessProps & { commonOptions: readonly string[] | undefined }> = (props) => {
  const options = Object.fromEntries(
    Object.entries(props.options).filter(([name]) => props.commonOptions?.includes(name)),
  );
  const look = adapterFor(props.platform)?.appearance({ ...props, options, placement: null });
  return look === undefined ? null : (
    <div class="likeness-post">
      <Author {...props} format={look.format} />
      {look.title !== null && <b>{look.title}</b>}
      <Caption look={look} />
      <LikenessMedia media={props.media} look={look.media} />
    </div>
  );
};

/** The first page is the cover. It is not drawn: the service stores the file and does not read its pages. */
const Document: FC<{ document: ShownDocument }> = ({ document: { title, pages } }) => (
  <>
    <b>{title}</b>
    <div class="likeness-media">
      <div class="likeness-frame">
        <svg viewBox="0 0 1000 1000" aria-hidden="true"></svg>
        <span class="likeness-video">The first page of the document</span>
      </div>
      {pages !== null && (
        <span class="likeness-count">
          1/{pages}
          <span class="visually-hidden"> pages</span>
        </span>
      )}
    </div>
  </>
);

const Card: FC<{ card: LinkCard }> = ({ card: { host, title, description } }) => (
  <div class="likeness-line">
    {host}
    {title === null ? (
      <p>A card, if that page offers one. Its title and picture are read when the post is published.</p>
    ) : (
      <p>
        <b>{title}</b>
      </p>
    )}
    {description !== null && <p>{description}</p>}
  </div>
);

/** Says once on a page what its likenesses are worth. */
export const LikenessHint: FC = () => (
  <p class="hint">The text and media are exact. The frame around them only resembles the platform.</p>
);

/** Shows how a post will look in a platform's feed, as far as that is known. It needs the style sheet `likeness`. */
export const PostLikeness: FC<LikenessProps> = ({ media, ...props }) => {
  const look = adapterFor(props.platform)?.appearance({ ...props, media });
  if (look === undefined) {
    return null;
  }
  const partMedia = storedThreadMedia(props.options);
  const mediaBlock = <LikenessMedia media={media} look={look.media} />;
  return (
    <figure class="likeness" aria-label={`Likeness of the post on ${PLATFORM_NAMES[props.platform]}`}>
      <div class="likeness-post">
        <Author {...props} format={look.format} />
        {look.order === "media_first" && mediaBlock}
        {look.title !== null && <b>{look.title}</b>}
        <Caption look={look} />
        {look.order === "text_first" && mediaBlock}
        {look.document && <Document document={look.document} />}
        {look.card && <Card card={look.card} />}
        {look.lines.map(({ kind, text }) => (
          <p class={kind === "note" ? "likeness-note" : "likeness-line"}>{text}</p>
        ))}
      </div>
      {threadCaptions(props.options).map((caption, index) => (
        <PartLikeness {...props} caption={caption} media={partMedia[index] ?? []} commonOptions={look.partOptions} />
      ))}
    </figure>
  );
};
