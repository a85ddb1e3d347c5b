// Sends the smallest upload, signed. With the argument "check" it compares its signatures with the vectors instead.
import java.net.HttpURLConnection
import java.net.URI
import java.security.MessageDigest
import java.security.SecureRandom
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

const val BASE_URL = "http://localhost:8080"
const val PUBLIC_KEY = "pub_…"
const val SECRET_KEY = "sec_…"
const val BODY = """{
  "user": {},
  "device": {
    "id": "d-1",
    "properties": {
      "sdkVersionNormalized": 5002,
      "osVersionNormalized": 17005000,
      "appVersionNormalized": 3002001,
      "appInstallVersionNormalized": 3002001,
      "platform": "iOS",
      "deviceModel": "phone-15-2",
      "vendorIdentifier": "",
      "installDatetime": 1788998990
    }
  },
  "sessions": [
    { "id": "s-1", "number": { "global": 1, "version": 1 }, "startDate": "2026-09-10T02:10:00+02:00" }
  ]
}"""

fun hex(bytes: ByteArray) = bytes.joinToString("") { "%02x".format(it) }

fun signature(secretKey: String, publicKey: String, timestamp: String, nonce: String, body: ByteArray): String {
    val bodyHash = hex(MessageDigest.getInstance("SHA-256").digest(body))
    val signed = listOf("v1", "POST", "/api/v1/session", publicKey, timestamp, nonce, bodyHash).joinToString("\n")
    val mac = Mac.getInstance("HmacSHA256").apply { init(SecretKeySpec(secretKey.toByteArray(), "HmacSHA256")) }
    return "v1=" + hex(mac.doFinal(signed.toByteArray()))
}

fun upload() {
    val body = BODY.toByteArray()
    val timestamp = (System.currentTimeMillis() / 1000).toString() // by the corrected clock
    val random = ByteArray(16).also { SecureRandom().nextBytes(it) }
    val nonce = Base64.getUrlEncoder().withoutPadding().encodeToString(random)
    val connection = URI("$BASE_URL/api/v1/session").toURL().openConnection() as HttpURLConnection
    connection.requestMethod = "POST"
    connection.doOutput = true
    connection.setRequestProperty("Content-Type", "application/json")
    connection.setRequestProperty("X-Api-Key", PUBLIC_KEY)
    connection.setRequestProperty("X-Timestamp", timestamp)
    connection.setRequestProperty("X-Nonce", nonce)
    connection.setRequestProperty("X-Signature", signature(SECRET_KEY, PUBLIC_KEY, timestamp, nonce, body))
    connection.outputStream.use { it.write(body) }
    val status = connection.responseCode
    val response = if (status < 400) connection.inputStream else connection.errorStream
    println("$status ${response?.readBytes()?.decodeToString()}")
}

// The vectors, as `npm run samples` writes them: secret key, public key, timestamp, nonce, body in base64, signature.
val VECTORS = listOf(
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=ee3c096b8c6b8904c4eff7e5fed7afd0552a5707210a0e6fae958dbf03e55ca3"),
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyAidXNlciI6IHt9LCAiZGV2aWNlIjoge30sICJzZXNzaW9ucyI6IFtdIH0K", "v1=93f05f0d8f0bf16bc4e22a6dc8e606e21afb55c5cadba8aaa180ea96bad960c3"),
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7ImlkIjoiWm/DqyDwn5qAIn0sImRldmljZSI6e30sInNlc3Npb25zIjpbXX0=", "v1=97a18fdc813350310ef4d5b246365b82e8ab3c1074a8588b7af4e2891b29d90d"),
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "", "v1=f98f332c571e4ef5553193499221ecb406c564d753271c4a0c306b639962e73d"),
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "H4sIAAAAAAACA6tWKi1OLVKyqq7VUUpJLctMToWwi1OLizPz84qVrKJjawHT3nZHJQAAAA==", "v1=2b011acc1480f67d2f4e129b01f5064fbcbe92156f4e211716ec0b052333053b"),
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==", "v1=3dfa7808927125bedc9a927f93f39786896c16fb961e87a661fe9f56ac281b4a"),
    listOf("c2VjcmV0LWtleQ==", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=aafe97a6ff25e566f8980ca549cc6b371d9820d0b96791cd20edb40850ce29dd"),
    listOf("sec_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=0eba26de5a191a90a66186625c13d665252ac3de9f9fcd0ebf41fe1cbab98ed2"),
    listOf("sec_0OaBcDeFgHiJkLmNoPqRsTuVwXyZ1234", "pub_9ZyXwVuTsRqPoNmLkJiHgFeDcBa43210", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=e29fc82ae878de8b57de7a60f03f16c6d744a2e8ee96ae7a0edc701f380438ad"),
    listOf("sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000301", "-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_Az09Az09Az09Az09Az09Az09Az09Az09", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=c31a1fe7f322468e52e4ad02461ec028d16b7dc3b8b944fe1013c0c486e75c25"),
)
// The vectors end.

fun check() {
    for ((key, body, expected) in VECTORS.map { Triple(it.take(4), Base64.getDecoder().decode(it[4]), it[5]) }) {
        val (secretKey, publicKey, timestamp, nonce) = key
        check(signature(secretKey, publicKey, timestamp, nonce, body) == expected) { expected }
    }
    println("${VECTORS.size} signatures equal the vectors")
}

fun main(words: Array<String>) = if ("check" in words) check() else upload()
