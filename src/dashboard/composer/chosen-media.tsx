import type { FC } from "hono/jsx";
import type { ComposerView } from "./composer-view.ts";
import { describe, FieldProblems, FileUpload, Labelled, TextArea } from "./fields.tsx";
import { fileNameOf, Thumbnail } from "./media-fields.tsx";
import type { OwnMedia } from "#dashboard/post-form/own-media.ts";
import { mediaTypesOf } from "#dashboard/post-form/read-options.ts";

/* Fields for media that only one account or one thread part publishes, instead of or besides the media of the post. */

/** A list of media for one account or thread part, with the names of its form fields and buttons. */
export interface MediaChoiceProps {
  readonly view: ComposerView;
  readonly items: OwnMedia;
  /** The name of the account or thread part, for labels. */
  readonly owner: string;
  /** The form field name of the list. An item's field has the same name and its position. */
  readonly field: string;
  readonly library: string;
  readonly addresses: string;
  readonly altText: string;
  readonly intent: (action: "up" | "down" | "remove", index: number) => string;
  /** The place on the page to which the browser jumps after a button. */
  readonly anchor: string;
}

/** Lists the chosen files in their order. */
export const ChosenMedia: FC<MediaChoiceProps> = (props) => (
  <ol class="media-list">
    {props.items.map((_, index) => (
      <ChosenMedium {...props} index={index} />
    ))}
  </ol>
);

const ChosenMedium: FC<MediaChoiceProps & { index: number }> = ({ view, items, index, ...list }) => {
  const { url = "", type, alt_text: altText } = items[index] ?? {};
  const file = fileNameOf(url);
  const known = type ?? view.data.newestMedia.find((one) => one.url === url)?.type ?? mediaTypesOf([url])?.[0] ?? null;
  const field = `${list.field}.${index}`;
  const button = (action: "up" | "down" | "remove", label: string, isOff = false) => (
    <button
      class="secondary"
      name="intent"
      value={list.intent(action, index)}
      formaction={`/dashboard/posts/preview#${list.anchor}`}
      aria-label={`${label}: ${file}`}
      disabled={isOff}
    >
      {label}
    </button>
  );
  return (
    <li>
      <Thumbnail url={url} type={known} />
      <div>
        <p>{`${index + 1}. ${file}`}</p>
        <p class="item-actions">
          {items.length > 1 && button("up", "Move up", index === 0)}
          {items.length > 1 && button("down", "Move down", index === items.length - 1)}
          {button("remove", "Remove")}
        </p>
        <input
          id={field}
          type="text"
          name={list.altText}
          value={altText ?? ""}
          placeholder="What it shows"
          aria-label={`Description of ${file}, for people who cannot see it`}
          {...describe(view, field)}
        />
        <FieldProblems view={view} field={field} />
      </div>
    </li>
  );
};

/** The ways to choose media: upload new files, take the person's newest ones, or enter addresses of others. */
export const MediaChoice: FC<MediaChoiceProps> = ({ view, items, owner, library, addresses, anchor }) => {
  const offered = view.data.newestMedia.filter(({ url }) => !items.some((item) => item.url === url));
  return (
    <>
      <FileUpload view={view} label={`Upload files for ${owner}`} into={addresses} />
      {offered.length > 0 && (
        <div class="library">
          {offered.map(({ url, type, filename }) => (
            <label class="checkbox library-item">
              <input type="checkbox" name={library} value={`${type} ${url}`} />
              <Thumbnail url={url} type={type} />
              <span>{filename}</span>
            </label>
          ))}
        </div>
      )}
      <Labelled view={view} field={addresses} label="Addresses" hint="One per line, each beginning with https://.">
        <TextArea view={view} name={addresses} value="" rows={2} hasHint />
      </Labelled>
      <button class="secondary" name="intent" value="update" formaction={`/dashboard/posts/preview#${anchor}`}>
        {`Use these for ${owner}`}
      </button>
      <p class="hint">What is ticked or entered here is used in any case. The button shows it in the list.</p>
    </>
  );
};
