import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/response.ts";

/* Pinterest's answers, reduced to the fields that the adapter reads. */

export const UserAccount = z.looseObject({
  id: Id,
  username: z.string().min(1),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
});
export type UserAccount = z.infer<typeof UserAccount>;

const ListedBoard = z.looseObject({
  id: Id,
  name: z.string(),
  description: z.string().nullish(),
  privacy: z.string().nullish(),
  pin_count: z.number().nullish(),
  is_ads_only: z.boolean().nullish(),
});
export type ListedBoard = z.infer<typeof ListedBoard>;

export const BoardList = z.looseObject({ items: z.array(ListedBoard), bookmark: z.string().nullish() });

export const CreatedPin = z.looseObject({ id: Id });

export const RegisteredMedia = z.looseObject({
  media_id: Id,
  upload_url: z.string().min(1),
  upload_parameters: z.record(z.string(), z.string()),
});

export const MediaStatus = z.looseObject({
  status: z.string(),
  failure_code: z.union([z.string(), z.number()]).nullish(),
});

const ListedPin = z.looseObject({
  id: Id,
  created_at: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  link: z.string().nullish(),
  is_owner: z.boolean().nullish(),
});
export type ListedPin = z.infer<typeof ListedPin>;

export const PinList = z.looseObject({ items: z.array(ListedPin), bookmark: z.string().nullish() });

export const ErrorBody = z.looseObject({
  code: z.number().nullish(),
  message: z.string().nullish(),
  message_detail: z.string().nullish(),
});
