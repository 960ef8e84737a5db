CREATE TABLE `approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`kind` text NOT NULL,
	`plan` text NOT NULL,
	`plan_hash` text NOT NULL,
	`requested_by` text NOT NULL,
	`via` text NOT NULL,
	`state` text NOT NULL,
	`note` text,
	`post_ids` text,
	`details` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`decided_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `approvals_token` ON `approvals` (`user_id`,`token_hash`);--> statement-breakpoint
CREATE INDEX `approvals_by_state` ON `approvals` (`user_id`,`state`,`expires_at`);--> statement-breakpoint
CREATE INDEX `approvals_pending` ON `approvals` (`expires_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `approvals_decided` ON `approvals` (`decided_at`) WHERE decided_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `confirms` text DEFAULT 'self' NOT NULL;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `confirms` text DEFAULT 'self' NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `approval_reauthentication` integer DEFAULT false NOT NULL;