import { z } from "@hono/zod-openapi";
import { type Annotations as DomainAnnotations, LABELS_MAX } from "#posts/index.ts";

const EXTERNAL_ID_MAX = 255;
const METADATA_MAX = { keys: 16, key: 40, value: 500 } as const;
const LABEL_MAX = 40;
const NOTES_MAX = 2000;

export const ExternalId = z.string().min(1).max(EXTERNAL_ID_MAX);
export const Label = z.string().min(1).max(LABEL_MAX);

export const Metadata = z
  .record(z.string().min(1).max(METADATA_MAX.key), z.string().max(METADATA_MAX.value))
  .refine((metadata) => Object.keys(metadata).length <= METADATA_MAX.keys, {
    message: `must have at most ${METADATA_MAX.keys} keys`,
    params: { code: "out_of_range" },
  });

export const Labels = z.array(Label).max(LABELS_MAX);
export const Notes = z.string().max(NOTES_MAX);

/** The members for annotations in a request. One that is null or missing is not set. */
export const annotationFields = {
  external_id: ExternalId.nullish().openapi({
    description: "The post's id in your own system; several posts may have the same.",
    example: "campaign-2026-12/launch",
  }),
  metadata: Metadata.nullish().openapi({
    description: `Names and values of your own: at most ${METADATA_MAX.keys}, names of at most ${METADATA_MAX.key} and values of at most ${METADATA_MAX.value} characters.`,
    maxProperties: METADATA_MAX.keys,
    example: { campaign: "launch" },
  }),
  labels: Labels.nullish().openapi({
    description: "Words to find posts by; one that is given twice counts once.",
    example: ["launch", "ceramics"],
  }),
  notes: Notes.nullish().openapi({
    description: "For the people and programs that work on the post.",
    example: "Approved by Grace.",
  }),
};

export const AnnotationsBody = z.object(annotationFields).openapi("AnnotationsBody", {
  description: "What is noted about a post; none of it is published.",
});

type AnnotationMembers = z.infer<typeof AnnotationsBody>;

export function toAnnotations({ external_id, metadata, labels, notes }: AnnotationMembers): DomainAnnotations {
  return {
    externalId: external_id ?? null,
    metadata: metadata ?? {},
    labels: [...new Set(labels)],
    notes: notes || null,
  };
}

export const annotationMembers = {
  external_id: z.string().nullable().openapi({ description: "The id in the caller's own system." }),
  metadata: z.record(z.string(), z.string()).openapi({ description: "The caller's own names and values." }),
  labels: z.array(z.string()).openapi({ description: "The words by which the post is found." }),
  notes: z.string().nullable().openapi({ description: "What those who work on the post wrote; never published." }),
};

export type Annotations = z.infer<z.ZodObject<typeof annotationMembers>>;

export function presentAnnotations({ externalId, metadata, labels, notes }: DomainAnnotations): Annotations {
  return { external_id: externalId, metadata, labels: [...labels], notes };
}

export const EXAMPLE_ANNOTATIONS: Annotations = {
  external_id: "campaign-2026-12/launch",
  metadata: { campaign: "launch" },
  labels: ["launch", "ceramics"],
  notes: "Approved by Grace.",
};
