import { z } from "@hono/zod-openapi";
import { PLATFORMS } from "#core/platform.ts";
import { Id } from "./common.ts";

const ErrorDetail = z
  .object({
    code: z.string().openapi({ description: "A stable word for the problem.", example: "caption_too_long" }),
    message: z.string().openapi({ description: "A sentence a person can act on." }),
    param: z.string().optional().openapi({ description: "Where the problem is, in the caller's notation." }),
    account_id: Id.optional().openapi({ description: "The account the problem is about." }),
    platform: z.enum(PLATFORMS).optional().openapi({ description: "The platform whose rule was broken." }),
    limit: z.union([z.number(), z.string()]).optional().openapi({ description: "What is allowed." }),
    actual: z.union([z.number(), z.string()]).optional().openapi({ description: "What was found." }),
  })
  .openapi("ErrorDetail", { description: "One problem of possibly many." });

export const ErrorBody = z
  .object({
    error: z.string().openapi({ description: "A sentence a person can act on." }),
    code: z.string().openapi({ description: "A stable word a program can act on." }),
    param: z.string().optional().openapi({ description: "The one member the refusal is about." }),
    details: z.array(ErrorDetail).optional().openapi({ description: "Every problem found, not only the first." }),
    post_ids: z.array(Id).optional().openapi({ description: "The posts the refusal is about." }),
    request_id: z.string().openapi({ description: "The `X-Request-Id` of the answer." }),
  })
  .openapi("ErrorBody", { description: "The body of every answer that is not a success." });
export type ErrorBody = z.infer<typeof ErrorBody>;
