package sns

// PlatformActions are the actions of Amazon SNS that are not answered
// (InvalidAction): they manage AWS's delivery to phones, AWS's push services and
// AWS's inspection of data, which is the platform and not the API. Together with
// the actions that are answered, and the two whose names Amazon publishes under
// both services and which are filed as those of SQS, they are all there are.
var PlatformActions = map[string][]string{
	"mobile push": {
		"CreatePlatformApplication",
		"CreatePlatformEndpoint",
		"DeleteEndpoint",
		"DeletePlatformApplication",
		"GetEndpointAttributes",
		"GetPlatformApplicationAttributes",
		"ListEndpointsByPlatformApplication",
		"ListPlatformApplications",
		"SetEndpointAttributes",
		"SetPlatformApplicationAttributes",
	},
	"text messages": {
		"CheckIfPhoneNumberIsOptedOut",
		"CreateSMSSandboxPhoneNumber",
		"DeleteSMSSandboxPhoneNumber",
		"GetSMSAttributes",
		"GetSMSSandboxAccountStatus",
		"ListOriginationNumbers",
		"ListPhoneNumbersOptedOut",
		"ListSMSSandboxPhoneNumbers",
		"OptInPhoneNumber",
		"SetSMSAttributes",
		"VerifySMSSandboxPhoneNumber",
	},
	"data protection": {
		"GetDataProtectionPolicy",
		"PutDataProtectionPolicy",
	},
}

// SharedNames are the actions whose names Amazon publishes under both services.
var SharedNames = []string{"AddPermission", "RemovePermission"}
