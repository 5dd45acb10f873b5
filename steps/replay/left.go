package replay

// left are the recorded tests that are not replayed, by their names without
// parameters, and why.
var left = map[string]string{
	// Tests with a subscriber that is no queue.
	"test_creating_subscription":                                      otherSubscribers,
	"test_delivery_lambda":                                            otherSubscribers,
	"test_http_subscription_response":                                 otherSubscribers,
	"test_list_subscriptions_by_topic_pagination":                     otherSubscribers,
	"test_publish_lambda_verify_signature":                            otherSubscribers,
	"test_python_lambda_subscribe_sns_topic":                          otherSubscribers,
	"test_redrive_policy_lambda_subscription":                         otherSubscribers,
	"test_sns_topic_as_lambda_dead_letter_queue":                      otherSubscribers,
	"test_subscribe_external_http_endpoint":                           otherSubscribers,
	"test_subscribe_external_http_endpoint_content_type":              otherSubscribers,
	"test_subscribe_external_http_endpoint_lambda_url_sig_validation": otherSubscribers,

	// Tests about text messages.
	"test_get_sms_attributes_from_unmodified_region": textMessages,
	"test_is_phone_number_opted_out":                 textMessages,
	"test_list_opted_out":                            textMessages,
	"test_list_phone_numbers_opted_out":              textMessages,
	"test_opt_in_invalid_number":                     textMessages,
	"test_opt_in_non_existing_phone_number":          textMessages,
	"test_opt_in_phone_number":                       textMessages,
	"test_publish_wrong_phone_format":                textMessages,
	"test_set_get_sms_attributes":                    textMessages,
	"test_set_invalid_sms_attributes":                textMessages,
	"test_subscribe_bad_sms":                         textMessages,
	"test_subscribe_invalid_sms":                     textMessages,
	"test_subscribe_sms":                             textMessages,
	"test_subscribe_sms_endpoint":                    textMessages,
	"test_subscribe_sms_obscure_phone_number":        textMessages,

	// Tests over several regions.
	"test_create_topic_in_multiple_regions": oneRegion,
	"test_cross_region_access":              oneRegion,
	"test_cross_region_delivery_sqs":        oneRegion,
	"test_topic_publish_another_region":     oneRegion,

	// Tests with a token.
	"test_confirm_subscription": nothingToConfirm,

	// Tests about mobile push.
	"test_create_platform_application":                            mobilePush,
	"test_create_platform_application_invalid_attributes":         mobilePush,
	"test_create_platform_application_invalid_name":               mobilePush,
	"test_create_platform_application_invalid_platform":           mobilePush,
	"test_create_platform_endpoint":                               mobilePush,
	"test_create_platform_endpoint_custom_data":                   mobilePush,
	"test_create_platform_endpoint_double_custom_data":            mobilePush,
	"test_create_platform_endpoint_idempotency":                   mobilePush,
	"test_create_platform_endpoint_non_existent_app":              mobilePush,
	"test_create_platform_endpoint_with_invalid_attributes":       mobilePush,
	"test_delete_endpoints_of_deleted_app":                        mobilePush,
	"test_delete_platform_endpoint":                               mobilePush,
	"test_delete_platform_endpoint_with_subscription":             mobilePush,
	"test_get_platform_application_attributes":                    mobilePush,
	"test_get_platform_application_attributes_invalid_arn":        mobilePush,
	"test_get_platform_application_attributes_non_existing_app":   mobilePush,
	"test_get_platform_endpoint_attributes":                       mobilePush,
	"test_get_platform_endpoint_attributes_non_existent_endpoint": mobilePush,
	"test_list_platform_applications":                             mobilePush,
	"test_list_platform_endpoints":                                mobilePush,
	"test_set_platform_application_attributes":                    mobilePush,
	"test_set_platform_application_attributes_invalid_arn":        mobilePush,
	"test_set_platform_application_attributes_non_existing_app":   mobilePush,
	"test_set_platform_endpoint_attributes":                       mobilePush,
	"test_set_platform_endpoint_attributes_invalid_arn":           mobilePush,
	"test_set_platform_endpoint_attributes_invalid_attributes":    mobilePush,
	"test_set_platform_endpoint_attributes_non_existent_endpoint": mobilePush,

	// Tests about data protection.
	"test_data_protection_policy_crud": dataProtection,
}

// The reasons.
const (
	otherSubscribers = "the subscriber is an HTTP endpoint, a function or a phone: queues are the only ones, SN-16"
	textMessages     = "phones are no subscribers, and the actions about them do not exist: SN-16, SN-24"
	oneRegion        = "it needs two regions, and a gateway has one"
	nothingToConfirm = "it needs a token, and none is ever made: SN-09"
	mobilePush       = "platform applications and endpoints are no part of this gateway: SN-24"
	dataProtection   = "the actions of data protection do not exist: SN-24"
)
