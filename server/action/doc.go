// Package action is what the actions of SQS and SNS share.
package action
