package httpserver

// routes is Queen's API as far as it is served, with the least role of each route
// (queen-wire 3). Traces, streams, ephemeral queues, maintenance modes and the
// time series of the dashboard are not served; their paths are unknown routes.
var routes = newTable([]row{
	{"GET", "/health", public, (*Server).health},
	{"GET", "/metrics", public, (*Server).metrics},
	{"GET", "/status", readOnly, (*Server).status},

	{"POST", "/api/v1/push", writeOnly, (*Server).push},
	{"GET", "/api/v1/pop", readWrite, (*Server).popDiscover},
	{"GET", "/api/v1/pop/queue/:queue", readWrite, (*Server).popQueue},
	{"GET", "/api/v1/pop/queue/:queue/partition/:partition", readWrite, (*Server).popQueue},
	{"POST", "/api/v1/ack", readWrite, (*Server).ack},
	{"POST", "/api/v1/ack/batch", readWrite, (*Server).ackBatch},
	{"POST", "/api/v1/lease/:leaseId/extend", readWrite, (*Server).extendLease},
	{"POST", "/api/v1/transaction", readWrite, (*Server).transaction},
	{"POST", "/api/v1/configure", readWrite, (*Server).configure},

	{"POST", "/api/v1/kv", readWrite, (*Server).kv},
	{"GET", "/api/v1/kv/:ns/*key", readOnly, (*Server).kvGet},
	{"PUT", "/api/v1/kv/:ns/*key", readWrite, (*Server).kvPut},
	{"DELETE", "/api/v1/kv/:ns/*key", readWrite, (*Server).kvDelete},

	{"POST", "/api/v1/timers", writeOnly, (*Server).timers},
	{"GET", "/api/v1/timers/:queue", readOnly, (*Server).listTimers},
	{"GET", "/api/v1/timers/:queue/*timerKey", readOnly, (*Server).peekTimer},
	{"DELETE", "/api/v1/timers/:queue/*timerKey", readWrite, (*Server).cancelTimer},

	{"GET", "/api/v1/resources/queues", readOnly, (*Server).listQueues},
	{"GET", "/api/v1/resources/overview", readOnly, (*Server).overview},
	{"GET", "/api/v1/resources/namespaces", readOnly, (*Server).listNamespaces},
	{"GET", "/api/v1/resources/tasks", readOnly, (*Server).listTasks},
	{"GET", "/api/v1/resources/queues/:queue", readOnly, (*Server).queueDetail},
	{"DELETE", "/api/v1/resources/queues/:queue", admin, (*Server).deleteQueue},
	{"GET", "/api/v1/resources/queues/:queue/depth", readOnly, (*Server).depth},
	{"GET", "/api/v1/status/queues", readOnly, (*Server).statusQueues},
	{"GET", "/api/v1/status/queues/:queue", readOnly, (*Server).statusQueue},

	{"GET", "/api/v1/messages", readOnly, (*Server).listMessages},
	{"GET", "/api/v1/messages/:partitionId/:transactionId", readOnly, (*Server).messageDetail},
	{"DELETE", "/api/v1/messages/:partitionId/:transactionId", readWrite, (*Server).deleteMessage},
	{"POST", "/api/v1/messages/:partitionId/:transactionId/retry", readWrite, (*Server).retryMessage},
	{"GET", "/api/v1/dlq", readOnly, (*Server).deadLetters},

	{"GET", "/api/v1/consumer-groups", readOnly, (*Server).listGroups},
	{"GET", "/api/v1/consumer-groups/lagging", readOnly, (*Server).laggingGroups},
	{"GET", "/api/v1/consumer-groups/:group", readOnly, (*Server).groupDetail},
	{"DELETE", "/api/v1/consumer-groups/:group", admin, (*Server).forgetGroup},
	{"DELETE", "/api/v1/consumer-groups/:group/queues/:queue", admin, (*Server).forgetGroupOfQueue},
	{"POST", "/api/v1/consumer-groups/:group/queues/:queue/seek", readWrite, (*Server).seekQueue},
	{"POST", "/api/v1/consumer-groups/:group/queues/:queue/partitions/:partition/seek", readWrite, (*Server).seekPartition},
	{"POST", "/api/v1/stats/refresh", admin, (*Server).refreshStats},

	{"POST", "/_test/clock", admin, (*Server).testClock},
})
