import type { FC } from "hono/jsx";
import type { Annotations } from "#posts/index.ts";
import {
  ANNOTATION_FIELDS,
  type AnnotationForm,
  type AnnotationProblem,
} from "#dashboard/post-form/annotation-form.ts";

const LABELS = {
  labels: ["Labels", "One per line, to find posts by."],
  notes: ["Notes", "For those who work on the post."],
  external_id: ["Id in your own system", "The id that another program gave the post."],
  metadata: ["Metadata", "One per line, each as name: value."],
} as const;

const ROWS = { labels: 2, notes: 3, metadata: 2 } as const;

/** The form fields for a post's annotations, each with its problems. */
export const AnnotationFields: FC<{
  form: AnnotationForm;
  problems: readonly { readonly field: string; readonly message: string }[];
}> = ({ form, problems }) => (
  <>
    {ANNOTATION_FIELDS.map((name) => {
      const own = problems.filter(({ field }) => field === name);
      const describedBy = `${name}-hint${own.length > 0 ? ` ${name}-error` : ""}`;
      const attributes = {
        id: name,
        name,
        "aria-describedby": describedBy,
        "aria-invalid": own.length > 0 ? "true" : undefined,
      } as const;
      return (
        <div class="field">
          <label for={name}>{LABELS[name][0]}</label>
          {name === "external_id" ? (
            <input {...attributes} value={form.external_id} autocomplete="off" />
          ) : (
            // Begin with a line break: HTML parsers drop the first one in a textarea, which could be the first of the
            // text.
            <textarea {...attributes} rows={ROWS[name]}>{`\n${form[name]}`}</textarea>
          )}
          <p class="hint" id={`${name}-hint`}>
            {LABELS[name][1]}
          </p>
          {own.length > 0 && (
            <div id={`${name}-error`}>
              {own.map(({ message }) => (
                <p class="field-error">{message}</p>
              ))}
            </div>
          )}
        </div>
      );
    })}
  </>
);

/** Shows a post's annotations, read-only. Empty if the post has none. */
export const AnnotationList: FC<{ annotations: Annotations }> = ({
  annotations: { externalId, labels, metadata, notes },
}) => {
  const entries = Object.entries(metadata);
  return labels.length + entries.length === 0 && externalId === null && notes === null ? null : (
    <dl class="details">
      {labels.length > 0 && (
        <>
          <dt>Labels</dt>
          <dd>
            {labels.map((label, index) => (
              <>
                {index > 0 && ", "}
                <a href={`/dashboard?${new URLSearchParams({ view: "list", label }).toString()}`}>{label}</a>
              </>
            ))}
          </dd>
        </>
      )}
      {notes !== null && (
        <>
          <dt>Notes</dt>
          <dd class="post-text">{notes}</dd>
        </>
      )}
      {externalId !== null && (
        <>
          <dt>Id in your own system</dt>
          <dd>{externalId}</dd>
        </>
      )}
      {entries.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
};

/** Shows a post's annotations, with a form that changes them. */
export const AnnotationSection: FC<{
  postId: string;
  annotations: Annotations;
  /** The form to change the annotations. Null if the post can no longer change. */
  form: AnnotationForm | null;
  problems: readonly AnnotationProblem[];
}> = ({ postId, annotations, form, problems }) => (
  <section class="card" aria-labelledby="annotations">
    <h2 id="annotations">Labels and notes</h2>
    <AnnotationList annotations={annotations} />
    <p class="hint">None of this is published.</p>
    {form !== null && (
      <details open={problems.length > 0}>
        <summary>Change</summary>
        <form method="post" action={`/dashboard/posts/${postId}/annotations`}>
          <AnnotationFields form={form} problems={problems} />
          <button class="secondary">Save</button>
        </form>
      </details>
    )}
  </section>
);
