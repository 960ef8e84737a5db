import type { Annotations } from "./types.ts";

export const LABELS_MAX = 10;
export const NO_ANNOTATIONS: Annotations = { externalId: null, metadata: {}, labels: [], notes: null };

/** SQL for the annotations of a post `p` as a JSON text. Null if the post has none. */
export const ANNOTATIONS_SQL = `(SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes)
    FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id)`;

export function readAnnotations({ annotations }: { readonly annotations: string | null }): Annotations {
  return annotations === null ? NO_ANNOTATIONS : (JSON.parse(annotations) as Annotations);
}

export function hasAnnotations({ externalId, metadata, labels, notes }: Annotations): boolean {
  return externalId !== null || notes !== null || labels.length > 0 || Object.keys(metadata).length > 0;
}
