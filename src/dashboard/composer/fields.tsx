import type { Child, FC } from "hono/jsx";
import { Notice } from "#dashboard/layout/components.tsx";
import { accountName, type ComposerView, findAccount } from "./composer-view.ts";
import type { FormProblem } from "#dashboard/post-form/form-problems.ts";
import { isRetry } from "#dashboard/post-form/read-post-form.ts";

/* Parts that several groups of form fields use. A field's id is its name, so that a problem can link to the field. */

type Problems = Pick<ComposerView, "problems">;

export function problemsOf({ problems }: Problems, field: string): readonly FormProblem[] {
  return problems.filter((problem) => problem.field === field);
}

export const FieldProblems: FC<{ view: Problems; field: string }> = ({ view, field }) => {
  const problems = problemsOf(view, field);
  return problems.length === 0 ? null : (
    <div id={`${field}-error`}>
      {problems.map(({ message }) => (
        <p class="field-error">{message}</p>
      ))}
    </div>
  );
};

/** The attributes that connect an input with its hint and its problems, for screen readers. */
export function describe(view: Problems, field: string, hasHint = false) {
  const hasProblem = problemsOf(view, field).length > 0;
  const ids = [hasHint && `${field}-hint`, hasProblem && `${field}-error`].filter(Boolean).join(" ");
  return { "aria-describedby": ids || undefined, "aria-invalid": hasProblem ? "true" : undefined } as const;
}

/** An input with its label, hint and problems. */
export const Labelled: FC<{
  view: Problems;
  field: string;
  label: Child;
  hint?: Child;
  children?: Child;
}> = ({ view, field, label, hint, children }) => (
  <div class="field">
    <label for={field}>{label}</label>
    {children}
    {hint !== undefined && (
      <p class="hint" id={`${field}-hint`}>
        {hint}
      </p>
    )}
    <FieldProblems view={view} field={field} />
  </div>
);

export const TextArea: FC<{
  view: Problems;
  name: string;
  value: string;
  rows: number;
  hasHint?: boolean;
  label?: string;
  /** The id of the input, if several inputs have the same name. */
  id?: string;
}> = ({ view, name, value, rows, hasHint = false, label, id = name }) => (
  <textarea id={id} name={name} rows={rows} aria-label={label} {...describe(view, id, hasHint)}>
    {/* HTML parsers drop the first line break in a textarea. This added one protects a line break that begins the
       text. */}
    {`\n${value}`}
  </textarea>
);

const ACCEPT = "image/*,video/*";
/** Many systems do not recognize HEIC and AVIF files as images, so their endings are named. */
const ACCEPT_CONVERTED = `${ACCEPT},.heic,.heif,.avif`;

/**
 * A file input for uploads. `into` names the form field that gets the files' addresses. Without it, each file becomes a
 * medium of the post.
 */
export const FileUpload: FC<{
  view: Pick<ComposerView, "canConvert" | "workspaceId">;
  label: string;
  into?: string;
  /** The types of files that can be chosen. Absent: several images and videos. */
  accept?: string;
}> = ({ view: { canConvert, workspaceId }, label, into, accept }) => {
  const id = into === undefined ? "files" : `files.${into}`;
  return (
    <div class="upload" id={`upload.${id}`} data-upload={workspaceId} data-into={into}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        name={into === undefined ? "file" : `file.${into}`}
        multiple={accept === undefined}
        accept={accept ?? (canConvert ? ACCEPT_CONVERTED : ACCEPT)}
        aria-describedby={accept === undefined ? `${id}-hint` : undefined}
      />
      {accept === undefined && (
        <p class="hint" id={`${id}-hint`}>
          {canConvert
            ? "HEIC and AVIF pictures become JPEG."
            : "HEIC and AVIF pictures, as many phones make them, cannot be used: save them as JPEG first."}
        </p>
      )}
      <button class="secondary" formaction="/dashboard/posts/files" formenctype="multipart/form-data">
        Upload these files
      </button>
    </div>
  );
};

/** Names the account of a form field, for the list of all problems. */
function accountOf(view: ComposerView, field: string): string {
  const [, id = ""] = /^(?:account|caption|option|part_media)\.([^.]+)/.exec(field) ?? [];
  const account = findAccount(view.data, id);
  return account ? `${accountName(account)}: ` : "";
}

/** Lists every problem with a link to its field. It comes first on the page, so that screen readers read it first. */
export const ProblemSummary: FC<{ view: ComposerView }> = ({ view }) => {
  const { problems } = view;
  return problems.length === 0 ? null : (
    <div class="notice error" role="alert">
      <p>
        <b>
          {problems.length === 1 ? "One thing is" : `${problems.length} things are`} in the way. Nothing was scheduled,
          and everything you wrote is still here.
        </b>
      </p>
      <ul class="problem-list">
        {problems.map(({ field, message }) => (
          <li>{field === "" ? message : <a href={`#${field}`}>{`${accountOf(view, field)}${message}`}</a>}</li>
        ))}
      </ul>
    </div>
  );
};

/** Says what is already published, and that only the rest will be tried again. */
export const RetryNotice: FC<{ view: ComposerView }> = ({ view: { data } }) => {
  const { post } = data;
  const kept = post?.targets.filter(({ status }) => status !== "failed") ?? [];
  return post === null || !isRetry(post) ? null : (
    <Notice kind="info">
      Only what is not published is tried again, at the new time.
      {kept.length > 0 && ` This stays as it is: ${kept.map(accountName).join(", ")}.`}
    </Notice>
  );
};
