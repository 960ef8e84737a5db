import { z } from "@hono/zod-openapi";
import { PLATFORMS } from "#core/platform.ts";
import { APPROVAL_STATES } from "#core/status.ts";
import { DetailCode, ErrorCode } from "./codes.ts";
import { Id, Instant } from "./common.ts";

export const ErrorDetail = z
  .object({
    code: DetailCode,
    message: z.string().openapi({ description: "A message for people." }),
    param: z
      .string()
      .optional()
      .openapi({ description: "The member with the problem, for example `targets[0].caption`." }),
    row: z.int().optional().openapi({ description: "Which post of a bulk request, from 1." }),
    account_id: Id.optional().openapi({ description: "The account the problem is about." }),
    platform: z.enum(PLATFORMS).optional().openapi({ description: "The platform whose rule the request breaks." }),
    limit: z.union([z.number(), z.string()]).optional().openapi({ description: "The allowed value." }),
    actual: z.union([z.number(), z.string()]).optional().openapi({ description: "The value in the request." }),
  })
  .openapi("ErrorDetail", { description: "One problem of the request." });

const ErrorApproval = z
  .object({
    id: Id,
    url: z.string().openapi({
      format: "uri",
      description:
        "The page on which the signed-in user decides. Give it to the user; calls to it with a credential do nothing.",
    }),
    state: z.enum(APPROVAL_STATES),
    expires_at: Instant,
    note: z.string().optional().openapi({ description: "The user's words on declining." }),
  })
  .openapi("ErrorApproval", { description: "The approval that a confirm waits for, or that was decided." });

export const ErrorBody = z
  .object({
    error: z.string().openapi({ description: "A message for people." }),
    code: ErrorCode,
    param: z.string().optional().openapi({ description: "The member that was refused, if it is only one." }),
    details: z.array(ErrorDetail).optional().openapi({
      description:
        "Every problem found, not only the first: members that cannot be read are listed together with the problems of all others.",
    }),
    post_ids: z.array(Id).optional().openapi({ description: "The posts that the error is about." }),
    approval: ErrorApproval.optional(),
    request_id: z.string().openapi({ description: "The `X-Request-Id` of the response." }),
  })
  .openapi("ErrorBody", { description: "The body of every error response." });
export type ErrorBody = z.infer<typeof ErrorBody>;
