import type { FC } from "hono/jsx";
import type { ComposerView } from "./composer-view.ts";
import { describe, FieldProblems, FileUpload, Labelled, TextArea } from "./fields.tsx";
import { fileNameOf, Thumbnail } from "./media-fields.tsx";
import type { OwnMedia } from "#dashboard/post-form/own-media.ts";
import { mediaTypesOf } from "#dashboard/post-form/read-options.ts";

/* Media that only one account or one part of a thread publishes, in addition to the media of the post. */

/** A list of such media, and the names of its fields and buttons. */
export interface MediaChoiceProps {
  readonly view: ComposerView;
  readonly items: OwnMedia;
  /** The name of the account or of the thread part, for labels. */
  readonly owner: string;
  /** The name of the list's field. The field of an item has the same name and its position. */
  readonly field: string;
  readonly library: string;
  readonly addresses: string;
  readonly altText: string;
  readonly intent: (action: "up" | "down" | "remove", index: number) => string;
  /** Where the page is after a button. */
  readonly anchor: string;
}

/** The files in their order, each with what it shows. */
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
          {items.length > 1 && button("up", "Earlier", index === 0)}
          {items.length > 1 && button("down", "Later", index === items.length - 1)}
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

/** New files, the person's newest ones and addresses elsewhere. */
export const MediaChoice: FC<MediaChoiceProps> = ({ view, items, owner, library, addresses, anchor }) => {
  const offered = view.data.newestMedia.filter(({ url }) => !items.some((item) => item.url === url));
  return (
    <>
      <FileUpload view={view} label={`Upload files for ${owner}`} into={addresses} />
      {offered.length > 0 && (
        <div class="library">
          {offered.map(({ url, type, filename }) => (
            <label class="library-item">
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
    </>
  );
};
