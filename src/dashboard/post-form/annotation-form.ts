import { type Annotations, NO_ANNOTATIONS } from "#posts/index.ts";
import { AnnotationsBody, toAnnotations } from "#wire/schemas/annotations.ts";
import { toRefusal } from "#wire/validation-refusal.ts";

/** The annotation fields as the user typed them. Their names are those of the API. */
export interface AnnotationForm {
  readonly external_id: string;
  /** The labels, one per line. */
  readonly labels: string;
  /** The metadata, one entry per line, as `name: value`. */
  readonly metadata: string;
  readonly notes: string;
}

type AnnotationField = keyof AnnotationForm;

export const ANNOTATION_FIELDS = ["labels", "notes", "external_id", "metadata"] as const satisfies AnnotationField[];

export interface AnnotationProblem {
  readonly field: AnnotationField;
  readonly message: string;
}

export function readAnnotationForm(text: (name: string) => string): AnnotationForm {
  const field = (name: AnnotationField) => text(name).replaceAll("\r\n", "\n");
  return {
    external_id: field("external_id"),
    labels: field("labels"),
    metadata: field("metadata"),
    notes: field("notes"),
  };
}

export function annotationFormOf({ externalId, labels, metadata, notes }: Annotations): AnnotationForm {
  return {
    external_id: externalId ?? "",
    labels: labels.join("\n"),
    metadata: Object.entries(metadata).map(writeEntry).join("\n"),
    notes: notes ?? "",
  };
}

export const EMPTY_ANNOTATION_FORM = annotationFormOf(NO_ANNOTATIONS);

/**
 * Writes a metadata entry as a line. Values that programs set are written as JSON if the plain line would be read
 * differently.
 */
function writeEntry([name, value]: readonly [string, string]): string {
  const line = `${name}: ${value}`;
  const read = line.includes("\n") ? null : readEntry(line);
  return read?.[0] === name && read[1] === value ? line : `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

function readEntry(line: string): readonly [string, string] | null {
  const [, name, value] = /^("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) {
    const [read, ...rest] = [name, value].map(readJsonText);
    return read === null || read === undefined || rest[0] === null ? null : [read, rest[0] ?? ""];
  }
  const colon = line.indexOf(":");
  return colon < 1 ? null : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

function readJsonText(json: string): string | null {
  try {
    return String(JSON.parse(json));
  } catch {
    return null;
  }
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const SUBJECTS: Readonly<Record<AnnotationField, readonly [whole: string, part: string]>> = {
  external_id: ["The id", "The id"],
  labels: ["The list of labels", "Each label"],
  metadata: ["The metadata", "Each name and value of the metadata"],
  notes: ["The notes", "The notes"],
};

/** Parses the form into annotations and problems. */
export function parseAnnotationForm(form: AnnotationForm): {
  readonly annotations: Annotations;
  readonly problems: readonly AnnotationProblem[];
} {
  const entries = linesOf(form.metadata).map(readEntry);
  if (entries.includes(null)) {
    const message = "Each line of the metadata needs a name, a colon and a value.";
    return { annotations: NO_ANNOTATIONS, problems: [{ field: "metadata", message }] };
  }
  const body = {
    external_id: form.external_id.trim() || null,
    labels: linesOf(form.labels),
    metadata: Object.fromEntries(entries.flatMap((entry) => (entry === null ? [] : [entry]))),
    notes: form.notes,
  };
  const parsed = AnnotationsBody.safeParse(body);
  if (parsed.success) {
    return { annotations: toAnnotations(parsed.data), problems: [] };
  }
  const { details = [] } = toRefusal({ target: "form", data: body, error: parsed.error });
  return {
    annotations: NO_ANNOTATIONS,
    problems: details.map(({ param = "", message }) => {
      const field = ANNOTATION_FIELDS.find((name) => param.startsWith(name)) ?? "notes";
      return { field, message: `${SUBJECTS[field][param === field ? 0 : 1]}${message.slice(param.length)}.` };
    }),
  };
}
