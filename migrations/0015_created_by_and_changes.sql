ALTER TABLE `posts` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `changes` text;