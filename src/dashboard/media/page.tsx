import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import {
  CONTENT_TYPES,
  CONTENT_TYPES_TEXT,
  CONVERTED_TYPES,
  type Library,
  type LibraryItem,
  type LibraryPosition,
  MAX_BYTES_TEXT,
  MAX_IMPORT_URLS,
  type MediaUses,
  RECEIVED_TYPES_TEXT,
} from "#media/index.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { ConfirmForm, Notice } from "#dashboard/layout/components.tsx";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { type Display, formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { POST_STATUS_LABELS } from "#dashboard/wording/post-wording.ts";
import { describeMedia, formatBytes } from "#dashboard/wording/media-labels.ts";
import type { MediaProblem } from "./receive-form.ts";

const PATH = "/dashboard/media";

/** What the media page says about the form that was sent before. */
export interface MediaPageMessages {
  readonly done?: string | undefined;
  /** Problems with single files or addresses. A problem with an empty name concerns the whole form. */
  readonly problems?: readonly MediaProblem[];
  /** How many files were stored in spite of the problems. */
  readonly saved?: number;
  /** The item that could not be deleted, because posts or drafts use it. */
  readonly inUse?: { readonly filename: string; readonly uses: MediaUses };
  /** The addresses as the person entered them. */
  readonly urls?: string;
}

const DONE = {
  uploaded: "Your files are in the library.",
  imported: "The files were fetched and are in the library.",
  deleted: "The file was deleted. Its storage is free again in about a minute.",
} as const;

const UseLinks: FC<{ uses: MediaUses; display: Display }> = ({ uses, display }) => (
  <ul class="media-uses">
    {uses.posts.map((use) => (
      <li>
        <a href={`/dashboard/posts/${use.postId}`}>
          <time datetime={new Date(use.scheduledAt).toISOString()}>{formatDateTime(display, use.scheduledAt)}</time>
        </a>
        , {POST_STATUS_LABELS[use.status].toLowerCase()}
      </li>
    ))}
    {uses.count > uses.posts.length && <li>{`and in ${uses.count - uses.posts.length} more`}</li>}
    {uses.drafts.ids.map((id, index) => (
      <li>
        <a href={`/dashboard/drafts/${id}`}>{uses.drafts.count === 1 ? "Draft" : `Draft ${index + 1}`}</a>
      </li>
    ))}
    {uses.drafts.count > uses.drafts.ids.length && (
      <li>{`and in ${countOf(uses.drafts.count - uses.drafts.ids.length, "more draft")}`}</li>
    )}
  </ul>
);

/** Says what uses an item, such as "2 posts and 1 draft". */
function usersOf({ count, drafts }: MediaUses): string {
  return [
    ...(count > 0 ? [countOf(count, "post")] : []),
    ...(drafts.count > 0 ? [countOf(drafts.count, "draft")] : []),
  ].join(" and ");
}

/** Says why an item could not be deleted, and what to do. */
function whyInUse(uses: MediaUses): string {
  const { count, drafts } = uses;
  const verb = count + drafts.count === 1 ? "uses" : "use";
  const remedies = [
    ...(count > 0 ? [`cancel ${count === 1 ? "the post" : "the posts"}`] : []),
    ...(drafts.count > 0 ? [`delete ${drafts.count === 1 ? "the draft" : "the drafts"}`] : []),
    "choose another file there",
  ];
  const remedy = toSentence(`${remedies.slice(0, -1).join(", ")} or ${remedies.at(-1)} first`);
  return `was not deleted: ${usersOf(uses)} ${verb} it. ${remedy}`;
}

const Messages: FC<{ messages: MediaPageMessages; display: Display }> = ({ messages, display }) => {
  const { done, problems = [], saved = 0, inUse } = messages;
  const [first] = problems;
  return (
    <>
      {done !== undefined && Object.hasOwn(DONE, done) && (
        <Notice kind="success">{DONE[done as keyof typeof DONE]}</Notice>
      )}
      {saved > 0 && (
        <Notice kind="success">{`${countOf(saved, "file")} ${saved === 1 ? "is" : "are"} in the library.`}</Notice>
      )}
      {first && (
        <div class="notice error" role="alert">
          {problems.length === 1 && first.name === "" ? (
            <p>{toSentence(first.message)}</p>
          ) : (
            <ul class="media-problems">
              {problems.map(({ name, message }) => (
                <li>
                  {name !== "" && <b>{`${name}: `}</b>}
                  {toSentence(message)}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {inUse && (
        <div class="notice error" role="alert">
          <p>
            <b>{inUse.filename}</b> {whyInUse(inUse.uses)}
          </p>
          <UseLinks uses={inUse.uses} display={display} />
        </div>
      )}
    </>
  );
};

/**
 * The picture, or the first frame of a video. Width and height are set, so that nothing moves when the picture arrives.
 */
const Thumbnail: FC<{ item: LibraryItem }> = ({ item }) =>
  item.type === "image" ? (
    <a class="media-thumbnail" href={item.url}>
      <img
        src={item.url}
        alt={`Open ${item.filename}`}
        loading="lazy"
        decoding="async"
        width={item.width ?? undefined}
        height={item.height ?? undefined}
      />
    </a>
  ) : (
    <a class="media-thumbnail" href={item.url} aria-label={`Open the video ${item.filename}`}>
      <video
        src={`${item.url}#t=0.1`}
        preload="metadata"
        muted
        playsinline
        tabindex={-1}
        aria-hidden="true"
        width={item.width ?? undefined}
        height={item.height ?? undefined}
      />
      <span class="media-film">Video</span>
    </a>
  );

/** A link to a document. There is no picture, because the first page would hardly be recognizable. */
const DocumentLink: FC<{ item: LibraryItem }> = ({ item }) => (
  <a class="media-thumbnail" href={item.url} aria-label={`Open the document ${item.filename}`}>
    <span class="media-film">PDF</span>
  </a>
);

const isUnused = ({ count, drafts }: MediaUses): boolean => count === 0 && drafts.count === 0;

const MediaCard: FC<{ item: LibraryItem; display: Display }> = ({ item, display }) => (
  <li class="media-item">
    {item.type === "document" ? <DocumentLink item={item} /> : <Thumbnail item={item} />}
    <div class="media-text">
      <h2>{item.filename}</h2>
      <p class="item-meta">{describeMedia(item)}</p>
      {isUnused(item) ? (
        <p class="item-meta">Not used in a post</p>
      ) : (
        <>
          <p class="item-meta">{`Used in ${usersOf(item)}`}</p>
          <UseLinks uses={item} display={display} />
        </>
      )}
    </div>
    <div class="item-actions">
      {item.type === "document" ? (
        <input value={item.url} readonly aria-label={`Address of ${item.filename}`} />
      ) : (
        <a class="button secondary" href={`/dashboard/posts/new?media=${encodeURIComponent(item.url)}`}>
          Use in a new post
        </a>
      )}
      {isUnused(item) && (
        <ConfirmForm
          action={`${PATH}/${item.id}/delete`}
          description="The file is deleted for good. Cancelled posts that had it keep their text only."
          verb="Delete"
          target={item.filename}
        />
      )}
    </div>
  </li>
);

const positionParameter = ({ createdAt, id }: LibraryPosition) => `${createdAt}-${id}`;

/** The list of stored media, which the script replaces after an upload. */
export const MediaGrid: FC<{
  library: Library;
  isFirstPage: boolean;
  isTrial: boolean;
  display: Display;
  now: number;
}> = ({ library, isFirstPage, isTrial, display, now }) => (
  <>
    <div class="media-storage">
      <p>
        <b>{formatBytes(library.usedBytes)}</b>{" "}
        {`of ${formatBytes(library.limitBytes)} used by your workspaces${isTrial ? " during your free trial" : ""}. `}
        <a href="/dashboard/plan">Plan</a>
      </p>
      <progress
        aria-label="Storage used"
        value={Math.min(library.usedBytes, library.limitBytes)}
        max={Math.max(1, library.limitBytes)}
      />
    </div>
    {library.items.length === 0 ? (
      <p class="empty-state">
        {isFirstPage
          ? "Nothing here yet. Add pictures and videos above, then use them in your posts."
          : "There is nothing older."}
      </p>
    ) : (
      <ul class="media-grid">
        {library.items.map((item) => (
          <MediaCard item={item} display={display} />
        ))}
      </ul>
    )}
    {(library.next !== null || !isFirstPage) && (
      <nav class="media-pages" aria-label="Pages of the library">
        {!isFirstPage && (
          <a class="button secondary" href={PATH}>
            Newest
          </a>
        )}
        {library.next !== null && (
          <a class="button secondary" href={`${PATH}?before=${positionParameter(library.next)}`} rel="next">
            Older
          </a>
        )}
      </nav>
    )}
    {library.items.some(({ count }) => count > 0) && (
      <p class="hint">{`Times are in ${formatZone(display.timeZone, now)}.`}</p>
    )}
  </>
);

const ACCEPT = Object.keys(CONTENT_TYPES).join(",");
/** Many systems do not recognize HEIC and AVIF by their types, so the file endings are listed too. */
const ACCEPT_CONVERTED = [
  ACCEPT,
  ...Object.entries(CONVERTED_TYPES).flatMap(([type, { extensions }]) => [type, ...extensions.map((one) => `.${one}`)]),
].join(",");

/**
 * The form that uploads files. The script sends each file by itself, shows its progress and continues after an
 * interruption.
 */
const UploadForm: FC<{ workspaceId: string; canConvert: boolean }> = ({ workspaceId, canConvert }) => (
  <form
    class="card media-upload"
    method="post"
    action={`${PATH}/uploads/form`}
    enctype="multipart/form-data"
    data-upload={workspaceId}
    data-upload-refresh="library"
  >
    <div class="field">
      <label for="files">Add pictures and videos</label>
      <input
        id="files"
        type="file"
        name="file"
        multiple
        accept={canConvert ? ACCEPT_CONVERTED : ACCEPT}
        aria-describedby="files-hint"
        required
      />
      <p class="hint" id="files-hint">
        {`${canConvert ? RECEIVED_TYPES_TEXT : CONTENT_TYPES_TEXT}; an image up to ${MAX_BYTES_TEXT.image}, a video up to ${MAX_BYTES_TEXT.video}. Also PDF documents up to ${MAX_BYTES_TEXT.document}, whose address goes into a post.`}
        <noscript> Without JavaScript the files of one upload have at most 90 MiB together.</noscript>
        <span class="media-drop"> Or drop files here.</span>
      </p>
    </div>
    <button>Upload</button>
  </form>
);

const ImportForm: FC<{ urls: string | undefined }> = ({ urls }) => (
  <details class="media-import" open={urls !== undefined}>
    <summary>Fetch from a web address instead</summary>
    <form class="card" method="post" action={`${PATH}/import`}>
      <div class="field">
        <label for="urls">Addresses of pictures and videos</label>
        <textarea
          id="urls"
          name="urls"
          rows={3}
          required
          spellcheck={false}
          aria-describedby="urls-hint"
          aria-invalid={urls === undefined ? undefined : "true"}
          placeholder="https://"
        >
          {urls}
        </textarea>
        <p class="hint" id="urls-hint">
          {`Public https addresses, one per line, up to ${MAX_IMPORT_URLS}. If one cannot be fetched, none is stored.`}
        </p>
      </div>
      <button class="secondary">Fetch</button>
    </form>
  </details>
);

/** The media library of the active workspace, with the forms that add files. */
export const MediaPage: FC<{
  signedIn: SignedInUser;
  library: Library;
  isFirstPage: boolean;
  isTrial: boolean;
  display: Display;
  now: number;
  /** Whether this installation accepts HEIC and AVIF images, because it can convert them. */
  canConvert: boolean;
  messages: MediaPageMessages;
}> = ({ signedIn, library, isFirstPage, isTrial, display, now, canConvert, messages }) => (
  <DashboardLayout
    title="Media"
    section="media"
    signedIn={signedIn}
    lead="The pictures and videos of this workspace. What no post or draft uses for 30 days is deleted by itself."
    assets={{ styles: ["media"], scripts: ["upload"] }}
  >
    <Messages messages={messages} display={display} />
    {signedIn.actor.subscribed && (
      <div class="media-forms">
        <UploadForm workspaceId={signedIn.actor.workspaceId} canConvert={canConvert} />
        <ImportForm urls={messages.urls} />
      </div>
    )}
    <section id="library" aria-label="Library">
      <MediaGrid library={library} isFirstPage={isFirstPage} isTrial={isTrial} display={display} now={now} />
    </section>
  </DashboardLayout>
);
