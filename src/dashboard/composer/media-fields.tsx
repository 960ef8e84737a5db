import type { FC } from "hono/jsx";
import type { MediaType } from "#core/status.ts";
import type { MediaItem } from "#posts/index.ts";
import type { ComposerView } from "./composer-view.ts";
import { describe, FieldProblems, FileUpload, Labelled, problemsOf, TextArea } from "./fields.tsx";
import { altTextField, coverAtField, coverUrlField, fileToCome } from "#dashboard/post-form/post-form.ts";
import { mediaTypesOf } from "#dashboard/post-form/read-options.ts";

/** The last part of a URL's path, which pages show as the file's name. */
export function fileNameOf(url: string): string {
  const name = /([^/]+)\/?(?:[?#].*)?$/.exec(url)?.[1] ?? url;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export function coverInWords({ atMs = 0, image }: NonNullable<MediaItem["cover"]>): string {
  return image ? fileNameOf(image.url) : `the moment at ${atMs / 1000} s`;
}

/** A small picture of a stored file. A video gets a symbol, because browsers would load the whole file. */
export const Thumbnail: FC<{ url: string; type: MediaType | null }> = ({ url, type }) =>
  type === "image" ? (
    <img class="thumbnail" src={url} alt="" loading="lazy" decoding="async" width="72" height="72" />
  ) : (
    <svg class="thumbnail" viewBox="0 0 72 72" aria-hidden="true">
      <path d="M28 22v28l23-14z" fill="currentColor" />
    </svg>
  );

/** The choice of a video's cover: one of the person's pictures, or a moment of the video. */
const CoverFields: FC<{ view: ComposerView; url: string }> = ({ view, url }) => {
  const { url: chosen = "", at = "" } = view.form.covers.get(url) ?? {};
  const images = view.data.newestMedia.filter(({ type }) => type === "image").map((item) => item.url);
  const offered = chosen === "" || images.includes(chosen) ? images : [chosen, ...images];
  const [urlField, atField] = [coverUrlField(url), coverAtField(url)];
  return (
    <details open={chosen !== "" || at !== ""}>
      <summary>Cover</summary>
      <Labelled view={view} field={urlField} label="A picture of yours">
        <select id={urlField} name={urlField} {...describe(view, urlField)}>
          <option value="">None</option>
          {offered.map((one) => (
            <option value={one} selected={one === chosen}>
              {fileNameOf(one)}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled
        view={view}
        field={atField}
        label="Or a moment of the video"
        hint="In seconds from the beginning, such as 1.5."
      >
        <input id={atField} name={atField} value={at} inputmode="decimal" {...describe(view, atField, true)} />
      </Labelled>
    </details>
  );
};

const MediaEntry: FC<{ view: ComposerView; url: string; index: number }> = ({ view, url, index }) => {
  const stored = view.data.media.get(url) ?? view.data.post?.mediaItems.find((item) => item.url === url);
  const type = stored?.type ?? mediaTypesOf([url])?.[0] ?? null;
  const toCome = fileToCome(url);
  const name = toCome ?? fileNameOf(url);
  const isOnly = view.form.media.length === 1;
  const button = (intent: string, label: string, isOff = false) => (
    <button
      class="secondary"
      name="intent"
      value={`${intent}.${index}`}
      formaction="/dashboard/posts/preview#media"
      aria-label={`${label}: ${name}`}
      disabled={isOff}
    >
      {label}
    </button>
  );
  return (
    <li id={`media.${index}`}>
      <input type="hidden" name="media" value={url} />
      {toCome === null ? <Thumbnail url={url} type={type} /> : <span class="thumbnail"></span>}
      <div>
        <p>
          {`${index + 1}. ${name}`}
          {toCome !== null && <span class="hint"> not uploaded yet</span>}
          {stored && stored.width !== null && stored.height !== null && (
            <span class="hint">{` ${stored.width} × ${stored.height}`}</span>
          )}
        </p>
        <p class="item-actions">
          {!isOnly && button("media_up", "Move up", index === 0)}
          {!isOnly && button("media_down", "Move down", index === view.form.media.length - 1)}
          {button("media_remove", "Remove")}
        </p>
        <FieldProblems view={view} field={`media.${index}`} />
        {toCome === null && (
          <Labelled
            view={view}
            field={altTextField(url)}
            label={type === "video" ? "Description of the video" : "Description of the picture"}
            hint="What it shows, for people who cannot see it."
          >
            <TextArea view={view} name={altTextField(url)} value={view.form.altTexts.get(url) ?? ""} rows={2} hasHint />
          </Labelled>
        )}
        {toCome === null && type === "video" && <CoverFields view={view} url={url} />}
      </div>
    </li>
  );
};

/** The media of the post in their order, and the ways to add media. */
export const MediaFields: FC<{ view: ComposerView }> = ({ view }) => {
  const { media, mediaUrls } = view.form;
  const offered = view.data.newestMedia.filter(({ url }) => !media.includes(url));
  const ofAddresses = view.problems.filter(({ field }) => {
    const [, index] = /^media\.(\d+)$/.exec(field) ?? [];
    return index !== undefined && Number(index) >= media.length;
  });
  return (
    <fieldset id="media" class="card">
      <legend>Images and videos</legend>
      {media.length > 0 && (
        <ol class="media-list">
          {media.map((url, index) => (
            <MediaEntry view={view} url={url} index={index} />
          ))}
        </ol>
      )}
      <FieldProblems view={view} field="media" />
      <FileUpload view={view} label="Upload files" />
      {offered.length > 0 && (
        <details>
          <summary>Choose from your media</summary>
          <div class="library">
            {offered.map(({ url, type, filename }) => (
              <label class="checkbox library-item">
                <input type="checkbox" name="library" value={url} />
                <Thumbnail url={url} type={type} />
                <span>{filename}</span>
              </label>
            ))}
          </div>
          <button class="secondary" name="intent" value="update" formaction="/dashboard/posts/preview#media">
            Add what is ticked
          </button>
        </details>
      )}
      <details open={mediaUrls.trim() !== "" || problemsOf(view, "media_url").length + ofAddresses.length > 0}>
        <summary>Add by web address</summary>
        <Labelled
          view={{ problems: view.problems }}
          field="media_url"
          label="Addresses"
          hint="One per line, each beginning with https://. The files are fetched when you preview."
        >
          <TextArea view={view} name="media_url" value={mediaUrls} rows={2} hasHint />
        </Labelled>
        {ofAddresses.map(({ field, message }) => (
          <p class="field-error" id={field}>
            {message}
          </p>
        ))}
      </details>
    </fieldset>
  );
};
