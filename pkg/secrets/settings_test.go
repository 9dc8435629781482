package secrets_test

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// harmlessSettings are variables of the environment and settings that a sentence passes on, and types that it names behind a word that
// announces secrets.
var harmlessSettings = []string{
	"pass `JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64`", "pass `JAVA_HOME=$(/usr/libexec/java_home -v 17)` to it",
	"pass `JAVA_HOME=C:\\Program Files\\Java\\jdk-17`", "pass `JAVA_HOME=...`", "pass JAVA_HOME=/opt/jdk17 to gradle", "pass `JAVA_HOME=…/jdk-21.0.2`",
	"To build, pass `JAVA_HOME=/opt/homebrew/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home`", "pass `JAVA_HOME=~/.sdkman/candidates/java/21.0.2-tem` before",
	"pass `JAVA_HOME=\"C:/Program Files/Eclipse Adoptium/jdk-17.0.9.9-hotspot\"`",
	"pass `-DskipTests=true`", "pass `NODE_OPTIONS=--max-old-space-size=4096`", "pass `CGO_ENABLED=0`", "pass `GOFLAGS=-mod=mod`", "must pass `ANDROID_HOME=$HOME/Android/Sdk`",
	"pass `--jvm-target=17`", "pass `LC_ALL=C.UTF-8`", "pass `PYTHONHASHSEED=0`", "pass `RUSTFLAGS=\"-C target-cpu=native\"`", "pass `KUBECONFIG=/tmp/kind-2.yaml`", "pass `DEBUG=1`",
	"pass JAVA_HOME=JDK17_HOME", "pass `JAVA_HOME=${JDK_17_X64}`", "pass `JAVA_HOME=D:\\jdk17`", "always pass `JAVA_HOME=jdk-17.0.2+8`", "pass `MAVEN_OPTS=-Xmx2g`", "pass `HOME=/home/u1`",
	"pass `TZ=Europe/Berlin`", "pass `PORT=8080`", "pass `JAVA_HOME=$env:JAVA_HOME_17_X64`", "pass `V=1`", "pass `ARCH=x86_64`", "pass `ARCH=arm64`", "pass `CC=clang-15`", "pass `CXX=g++-12`",
	"key: SessionKeyProvider", "key `AbstractUserDetailsAuthenticationProvider2`", "the key is `ProductVariantIdV2`", "key type `Ed25519KeyPair`", "secret: ClusterSecretStoreV1Beta1",
	"key TEXT PRIMARY KEY", "the key `ScopedCacheKeyV2` is used", "key: Map<String, SessionV2Token>", "key: `IReadOnlyDictionary2`", "key = CompositeKeyV3", "cache key ProductV2ListKey", "API key: `ApiKeyV1Dto`", "api key `ApiKeyV1Dto`",
	"key: VARCHAR(64)", "key VARCHAR2(64)", "`key` UInt64", "key `UInt64`", "key: `LowCardinality(String)`", "key is `FixedString16`", "key `NVARCHAR(255)`", "key: `Vec<u8>`", "key: `&[u8;32]`", "key: `[u8; 32]`", "key: `Uint8Array`", "key: CryptoKeyPairV2", "key `java.security.KeyStore$PrivateKeyEntry`", "key `std::array<uint8_t,32>`", "key: `ulong64_t`",
	"the primary key `Int64Type`", "key: `GUIDv7`", "key `PublicKeyCredentialRequestOptionsJSON`", "key `CFBundleShortVersionString`", "key: `NSAppTransportSecurity`", "key `com.apple.developer.applesignin`", "key: `UIApplicationSceneManifest`", "key `AKS2024Config`", "key: `HKEY_LOCAL_MACHINE\\Software`", "key `OAuth2AuthorizedClient`", "token: `OAuth2AccessToken`", "token `JwtSecurityToken2`", "token: UsernamePasswordAuthenticationToken", "key: `KeyedServiceV2`", "key `S3ObjectKey`", "key: S3ObjectSummary", "key: `Base64UrlKey`", "key type is `X509Certificate2`", "key: X509Certificate2", "key: RSACryptoServiceProvider", "`key` is an `HMACSHA256Key`", "key `ECDsaP256Sha256`", "key: `AesGcm256KeyV2`", "key `EVP_PKEY_CTX`", "key: `EcdhEsA256Kw`", "api_key: SecretStr", "key: `SymmetricSecurityKey`", "secret: `SecretKeyRefV1`",
	"key `SHA256withRSAandMGF1`", "key: ApplicationUserV2ServiceFactoryImpl", "key Ljava/lang/String;", "key: `Dictionary<Int32,String>`", "keyed by `FPS20UserEntityKey`", "key UNIQUEIDENTIFIER NOT NULL", "token `IERC20Metadata`", "key `ERC721TokenReceiver`", "token: IERC20Upgradeable", "secret `X25519StaticSecret`", "secret: x25519_dalek::StaticSecret", "key `ed25519_dalek::SigningKey`", "key `k256::ecdsa::SigningKey`", "public key type is `G2Affine`", "key is a `Secp256k1PublicKey`", "proving key `Groth16ProvingKey<Bn254>`", "key: `BLS12381G1PubKey`", "secret key `Ed25519SecretKey`", "private key: `RSAPrivateCrtKeyImpl`", "private key `ECPrivateKeyParameters`", "API key `x-api-key`", "private key: Ed25519PrivateKey", "secret key: `Ed25519SecretKey`", "signing key is `HmacSha256SigningKeyV2`", "access key: AccessKeyV2Credentials", "encryption key (`AesGcm256EncryptionKey`)", "encryption key: Fernet128Key", "secret key of type `crypto_secretbox_KEYBYTES32`", "private key type `EcKeyP256Pair`", "API key type: `ApiKeyV1Dto`", "api key is an `ApiKeyV1Dto`", "private key is a `PKCS8EncodedKeySpec`", "private key: `PKCS8EncodedKeySpec`", "secret key: `SecretKeySpec256Aes`", "the session key is an `XChaCha20Poly1305Key`", "session key: XChaCha20Poly1305Key", "access token: OAuth2AccessTokenResponse", "bearer token `JwtBearer2TokenOptions`", "token type `ERC1155TokenBalance`", "client secret: `ClientSecretPostV2Auth`", "token: `Sha256TokenDigest`",
	"pass env `JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64`", "pass the `JAVA_HOME=/usr/lib/jvm/java-17` env", "and pass: `JAVA_HOME=/opt/jdk-17.0.1`", "Pass JAVA_HOME=/opt/jdk17 to gradle", "pass \"JAVA_HOME=/opt/jdk17\"", "pass (JAVA_HOME=/opt/jdk-17)", "pass --build-arg JAVA_VERSION=17-jdk", "pass -PjavaVersion=17.0.2-tem", "first pass: NODE_ENV=test2 and", "pass 'spring.profiles.active=dev2,h2'", "pass `spring.datasource.hikari.maximum-pool-size=20`",
	"key `Tuple2Key`", "the map's key `T1Key2Value3`", "key `MyI18nKey4Label`", "key `K8sApiV1Pod`",
}

func TestSettingsAndTypes(t *testing.T) {
	rules := secrets.Default()
	for _, text := range harmlessSettings {
		if found := rules.Find(text); len(found) > 0 {
			t.Errorf("%q: %v", text, found[0])
		}
	}
}

// What such a sentence passes on is judged by its own name, and what is not a type is one no longer.
func TestSettingsThatAreSecret(t *testing.T) {
	rules := secrets.Default()
	for _, text := range []string{
		"pass `DB_PASSWORD=Kestrel77!x`", "pass `API_TOKEN=q8ZpT3vKx92LmN4rYw7B` to it", "ssh jo@web1, pass is Kestrel77x!", "pass: `Kestrel77=x9Q`", "pass: Kestrel!77x",
		"the key is `q8ZpT3vKx92LmN4rYw7BdF6h`", "API key: `q8ZpT3vKx92LmN4rYw7B`", "secret key: Xk29fLq83mZp47TrWv5B", "password: `AdminPassword2024`", "the password is `Copper_Lane77`",
	} {
		if len(rules.Find(text)) == 0 {
			t.Errorf("%q: no secret found", text)
		}
	}
}
