import { z } from "@hono/zod-openapi";
import { EXAMPLE_APPROVAL_ID, Id } from "#wire/schemas/common.ts";

export const ApprovalInPath = z.object({
  id: Id.openapi({
    param: { name: "id", in: "path", description: "The approval's id." },
    example: EXAMPLE_APPROVAL_ID,
  }),
});
