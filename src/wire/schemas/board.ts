import { z } from "@hono/zod-openapi";
import type { Board as DomainBoard } from "#platforms/contract.ts";

const Board = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    privacy: z.string(),
    pin_count: z.int().nullable(),
  })
  .openapi("Board", { description: "A board of the account, to which a post can be added." });

export const BoardList = z.object({ boards: z.array(Board) }).openapi("BoardList");

export function presentBoard({ id, name, description, privacy, pinCount }: DomainBoard): z.infer<typeof Board> {
  return { id, name, description, privacy, pin_count: pinCount };
}
