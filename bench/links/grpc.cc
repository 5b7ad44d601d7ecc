// grpc.cc: the same messages between two processes by gRPC, over TLS. See pair.h. Round trips are unary calls on one channel, a stream is one
// call whose client streams. DIRECTORY also has a certificate of the node `grpc`, for the name localhost. Who listens asks for the certificate
// of who dials, too.

#include "bench/links/pair.h"

#include "grpc.grpc.pb.h"

#include <fstream>
#include <grpcpp/grpcpp.h>
#include <sstream>

using bench::Message;

static void fail(const std::string &why)
{
    fprintf(stderr, "links/grpc: %s\n", why.c_str());
    exit(1);
}

static std::string content(const PairTask &task, const char *name)
{
    std::ostringstream text;
    std::ifstream file(std::string(task.directory) + "/" + name);
    if (!(text << file.rdbuf()))
        fail(std::string(name) + " can't be read");
    return text.str();
}

static void check(const grpc::Status &status)
{
    if (!status.ok())
        fail(status.error_message());
}

class Far final : public bench::Far::Service
{
    grpc::Status Answer(grpc::ServerContext *, const Message *asked, Message *answer) override
    {
        *answer = *asked;
        return grpc::Status::OK;
    }

    grpc::Status Take(grpc::ServerContext *, grpc::ServerReader<Message> *messages, Message *last) override
    {
        while (messages->Read(last))
            ;
        return grpc::Status::OK;
    }
};

static void run_far(const PairTask &task, int ready)
{
    Far service;
    grpc::ServerBuilder builder;
    grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    int port = 0;
    options.pem_root_certs = content(task, "ca.pem");
    options.pem_key_cert_pairs.push_back({content(task, "grpc.key"), content(task, "grpc.pem")});
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port);
    builder.RegisterService(&service);
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (server == nullptr || port == 0 || write(ready, &port, sizeof port) != sizeof port)
        fail("listening failed");
    server->Wait();
}

static std::shared_ptr<grpc::Channel> dial(const PairTask &task, int port)
{
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("localhost");
    auto credentials =
        grpc::SslCredentials({content(task, "ca.pem"), content(task, "one.key"), content(task, "one.pem")});
    auto channel = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port), credentials, arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(60)))
        fail("dialling failed");
    return channel;
}

static void stream(const PairTask &task, bench::Far::Stub &far, const Message &message)
{
    grpc::ClientContext context;
    Message last;
    auto writer = far.Take(&context, &last);
    // Several messages may leave at once.
    for (long i = 0; i < task.count; i++)
        if (!writer->Write(message, grpc::WriteOptions().set_buffer_hint()))
            break;
    writer->WritesDone();
    check(writer->Finish());
}

int main(int argc, char **argv)
{
    PairTask task = pair_task(argc, argv);
    int ends[2], port;
    if (pair_fork(ends))
        run_far(task, ends[1]);
    close(ends[1]);
    if (read(ends[0], &port, sizeof port) != sizeof port)
        fail("the other process does not listen");
    auto far = bench::Far::NewStub(dial(task, port));
    Message message, answer;
    message.set_content(std::string(task.size, '\0'));
    Measure measure = measure_begin();
    if (task.is_stream)
        stream(task, *far, message);
    for (long i = 0; !task.is_stream && i < task.count; i++) {
        grpc::ClientContext context;
        check(far->Answer(&context, message, &answer));
    }
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
