/* SPDX-License-Identifier: MIT */
/*
 * What libmicrohttpd calls in GnuTLS, for a static program: Debian has no static GnuTLS. The server never asks for TLS,
 * so that nothing but the first and the last call happens.
 */
#define CALL(name)        \
	long name(void);  \
	long name(void)   \
	{                 \
		return 0; \
	}

/* clang-format off */
CALL(gnutls_alpn_set_protocols) CALL(gnutls_bye) CALL(gnutls_certificate_allocate_credentials)
CALL(gnutls_certificate_free_credentials) CALL(gnutls_certificate_server_set_request)
CALL(gnutls_certificate_set_dh_params) CALL(gnutls_certificate_set_retrieve_function2)
CALL(gnutls_certificate_set_retrieve_function3) CALL(gnutls_certificate_set_x509_key_mem)
CALL(gnutls_certificate_set_x509_key_mem2) CALL(gnutls_certificate_set_x509_trust_mem)
CALL(gnutls_cipher_get) CALL(gnutls_credentials_set) CALL(gnutls_deinit)
CALL(gnutls_dh_params_deinit) CALL(gnutls_dh_params_import_pkcs3) CALL(gnutls_dh_params_init)
CALL(gnutls_global_deinit) CALL(gnutls_global_init) CALL(gnutls_handshake) CALL(gnutls_init)
CALL(gnutls_priority_deinit) CALL(gnutls_priority_init) CALL(gnutls_priority_set)
CALL(gnutls_protocol_get_version) CALL(gnutls_psk_allocate_server_credentials)
CALL(gnutls_psk_free_server_credentials) CALL(gnutls_psk_set_server_credentials_function)
CALL(gnutls_record_check_pending) CALL(gnutls_record_get_direction) CALL(gnutls_record_recv)
CALL(gnutls_record_send) CALL(gnutls_session_get_ptr) CALL(gnutls_session_set_ptr)
CALL(gnutls_strerror) CALL(gnutls_transport_set_int2)
	/* clang-format on */

	extern void *(*gnutls_malloc)(unsigned long);
void *(*gnutls_malloc)(unsigned long);
