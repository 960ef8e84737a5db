import type { FC } from "hono/jsx";
import type { FitReason } from "#core/fit.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { capitalize } from "#dashboard/wording/sentence.ts";
import { AnnotationList } from "./annotation-fields.tsx";
import type { Display } from "#dashboard/wording/display.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { isDueSoon, warningInWords } from "#dashboard/wording/warning-sentences.ts";
import { LikenessHint, PostLikeness } from "#dashboard/likeness/post-likeness.tsx";
import type { LinkedSentence } from "#platforms/contract.ts";
import { type PreviewTarget, type SchedulePreview } from "#planning/index.ts";
import { storedThreadMedia } from "#posts/index.ts";
import { captionCount } from "./caption-count.ts";
import type { AccountSettings, ComposerView } from "./composer-view.ts";
import { describeOptions } from "#dashboard/post-form/describe-options.ts";
import { coverInWords, fileNameOf, Thumbnail } from "./media-fields.tsx";

interface TargetProps {
  readonly services: ComposerView["services"];
  readonly settings: AccountSettings;
  readonly display: Display;
  readonly preview: SchedulePreview;
  readonly target: PreviewTarget;
}

const Linked: FC<{ sentence: LinkedSentence }> = ({ sentence }) => (
  <p>
    {sentence.map((part) =>
      typeof part === "string" ? (
        part
      ) : (
        <a href={part.url} target="_blank" rel="noopener noreferrer">
          {part.text}
        </a>
      ),
    )}
  </p>
);

function costInWords(platform: Platform, { amountUsd, reason }: NonNullable<TargetProps["target"]["cost"]>): string {
  return `${PLATFORM_NAMES[platform]} charges $${amountUsd} for this post (${reason})`;
}

/** What one account will publish: text, options in words, placement, cost and warnings. */
const TargetPreview: FC<TargetProps> = ({ services, settings, display, preview, target }) => {
  const words = wordsFor(services, display, target.platform);
  const boards = settings.boards.get(target.accountId);
  const options = describeOptions(words.specs, target.platformOptions, {
    mediaTypes: (target.mediaItems ?? preview.mediaItems).map(({ type }) => type),
    boards: boards?.ok ? boards.boards : [],
  });
  const details = [
    ...(target.placement === null ? [] : [{ label: "Published as", value: capitalize(target.placement) }]),
    ...options,
    ...(target.cost === null ? [] : [{ label: "Cost", value: costInWords(target.platform, target.cost) }]),
    { label: "Length of the text", value: captionCount(services, target) },
  ];
  return (
    <li class="card target-preview">
      <h2>
        <PlatformBadge platform={target.platform} isDecorative /> {PLATFORM_NAMES[target.platform]}{" "}
        <span class="account-username">{target.username}</span>
      </h2>
      {target.creator !== null && <p>Posts as {target.creator.name ?? target.username}</p>}
      <PostLikeness
        platform={target.platform}
        username={target.username}
        displayName={target.creator?.name}
        avatarUrl={target.creator?.avatarUrl}
        caption={target.effectiveCaption}
        options={target.platformOptions}
        media={target.mediaItems ?? preview.mediaItems}
        placement={target.placement}
      />
      {target.effectiveCaption === "" ? (
        <p class="hint">No text.</p>
      ) : (
        <details>
          <summary>The whole text</summary>
          <blockquote class="post-text">{target.effectiveCaption}</blockquote>
        </details>
      )}
      <FittedImages target={target} />
      <dl class="details">
        {details.map(({ label, value }) => (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      {target.warnings.map((warning) => (
        <p class="notice info">{warningInWords(warning, words)}</p>
      ))}
    </li>
  );
};

const FIT_REASON_WORDS: Readonly<Record<FitReason, string>> = {
  ratio: "its shape",
  unequal: "the shape of the first image",
  dimensions: "its width or height",
  bytes: "the size of its file",
  format: "the type of its file",
};

/** Shows the changed copies of images that this account publishes, so that nobody is surprised by borders or a crop. */
const FittedImages: FC<{ target: PreviewTarget }> = ({ target: { mediaItems, platformOptions } }) => {
  const lists = [
    { part: "", items: mediaItems ?? [] },
    ...storedThreadMedia(platformOptions).map((items, index) => ({ part: ` of part ${index + 2}`, items })),
  ];
  const fitted = lists.flatMap(({ part, items }) =>
    items.flatMap((item, index) => (item.fitted ? [{ item, name: `Image ${index + 1}${part}`, ...item.fitted }] : [])),
  );
  return fitted.length === 0 ? null : (
    <ul class="media-list">
      {fitted.map(({ item: { url, type, width, height }, name, reason }) => (
        <li>
          <Thumbnail url={url} type={type} />
          <p class="hint">
            <a href={url}>{name}</a>
            {` is made to fit because of ${FIT_REASON_WORDS[reason]}: ${width} × ${height}`}
          </p>
        </li>
      ))}
    </ul>
  );
};

/** Shows the media of the post once for all accounts. */
const MediaPreview: FC<{ preview: SchedulePreview }> = ({ preview: { mediaItems } }) =>
  mediaItems.length === 0 ? null : (
    <section aria-labelledby="preview-media">
      <h2 id="preview-media">{mediaItems.length === 1 ? "One file" : `${mediaItems.length} files, in this order`}</h2>
      <ol class="media-list">
        {mediaItems.map(({ url, type, width, height, altText, cover }, index) => (
          <li>
            <Thumbnail url={url} type={type} />
            <div>
              <p>{`${index + 1}. ${fileNameOf(url)}`}</p>
              <p class="hint">
                {type === "image" ? "Image" : "Video"}
                {width !== null && height !== null && `, ${width} × ${height}`}
              </p>
              {altText !== undefined && <p>{`Description: ${altText}`}</p>}
              {cover && <p>{`Cover: ${coverInWords(cover)}`}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );

/** Shows exactly what will be published, account by account. The deadline is not here but at the confirm button. */
export const PreviewedPost: FC<Omit<TargetProps, "target">> = (props) => (
  <>
    {props.preview.warnings
      .filter((warning) => !isDueSoon(warning))
      .map((warning) => (
        <p class="notice info">{warningInWords(warning, wordsFor(props.services, props.display))}</p>
      ))}
    <MediaPreview preview={props.preview} />
    <AnnotationList annotations={props.preview.annotations} />
    <section aria-labelledby="preview-targets">
      <h2 id="preview-targets">
        {props.preview.targets.length === 1 ? "One account" : `${props.preview.targets.length} accounts`}
      </h2>
      <LikenessHint />
      <ul class="target-previews">
        {props.preview.targets.map((target) => (
          <TargetPreview {...props} target={target} />
        ))}
      </ul>
    </section>
  </>
);

/** Sentences that platforms require beside the button that publishes. Each appears once. */
export const Statements: FC<Omit<TargetProps, "display" | "settings" | "target">> = ({ services, preview }) => {
  const sentences = preview.targets.flatMap(
    ({ platform, platformOptions }) => services.adapterFor(platform)?.optionForm?.statements?.(platformOptions) ?? [],
  );
  const unique = new Map(sentences.map((sentence) => [JSON.stringify(sentence), sentence]));
  return (
    <>
      {[...unique.values()].map((sentence) => (
        <Linked sentence={sentence} />
      ))}
    </>
  );
};
